package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.ffi.LibraryLookup;
import io.github.vertxrdma.provider.ffi.LibrarySearch;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import io.github.vertxrdma.provider.ffi.RootCommand;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Provider for the devices of libfabric 1.17.0 or later. The setting or system property {@code vertx.rdma.libfabric}, or the environment
 * variable {@code VERTX_RDMA_LIBFABRIC}, names the library file. The default is the library of the EFA installer, otherwise the system's
 * library.
 */
public final class LibfabricProvider implements Provider {
  static final String NAME = "libfabric";
  static final String VARIABLE = "VERTX_RDMA_LIBFABRIC";
  private static final String SONAME = "libfabric.so.1";
  private static final List<String> PLACES = List.of("/opt/amazon/efa/lib64/" + SONAME, "/opt/amazon/efa/lib/" + SONAME);
  /** Kernel drivers of RDMA adapters that need libfabric: EFA and Omni-Path. */
  private static final Set<String> DRIVERS = Set.of("efa", "hfi1");
  static final String SLINGSHOT = "cxi";
  private static final String FABRIC = "fabric";
  private static final String VERBS = "verbs";
  /** Fabrics that only this provider has. */
  private static final Set<String> NAMES = Set.of("tcp", "rxm", "efa");
  /**
   * Discovery results by library, host and ports. Devices are never closed. Another search would find nothing new, because libfabric
   * searches for adapters only once per process (cxip_if.c, efa_device.c).
   */
  private static final Map<List<Object>, Discovery> FOUND = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public boolean owns(String fabric) {
    return NAMES.contains(fabric) || fabric.startsWith(NAME + '-');
  }

  /**
   * Returns true if the user names no library and this machine has no adapter that needs libfabric. Other providers then serve TCP and
   * shared memory.
   */
  @Override
  public boolean isFallback(DiscoveryOptions options) {
    String given = given(options);
    return (given == null || given.isBlank()) && !KernelDevices.mayHave(SLINGSHOT)
      && !KernelDevices.mayHaveDriver("infiniband", DRIVERS);
  }

  @Override
  public Discovery discover(DiscoveryOptions options) {
    String givenBy = options.setting(NAME, null) != null ? "the setting " + NAME : VARIABLE;
    LibraryLookup lookup = NativeLibrary.load(new LibrarySearch(SONAME, given(options), givenBy, PLACES, remedy()));
    if (lookup instanceof LibraryLookup.Missing(String reason, String remedy)) {
      return unavailable(reason, remedy);
    }
    NativeLibrary found = ((LibraryLookup.Found) lookup).library();
    try {
      Discovery.Unavailable refused = refused(Calls.number(found.require("fi_version")), found.file("fi_version"));
      if (refused != null) {
        return new Discovery(List.of(), List.of(refused));
      }
      Libfabric library = new Libfabric(found);
      PortRange ports = PortRange.of(options);
      String host = options.host().getHostAddress();
      return withoutVerbs(FOUND.computeIfAbsent(List.of(library.file, host, ports),
        key -> new FabricDiscovery(library, host, ports).run()), options);
    } catch (ProviderException e) {
      return unavailable(e.getMessage(), "");
    }
  }

  /**
   * Removes adapters that the verbs provider uses, unless the user names one. With two devices for one adapter, a node would register each
   * region twice, and could not use the adapter's atomics.
   */
  static Discovery withoutVerbs(Discovery found, DiscoveryOptions options) {
    if (options.setting(FABRIC, "").contains(VERBS)) {
      return found;
    }
    List<Discovery.Unavailable> unavailable = new ArrayList<>(found.unavailable());
    List<Device> devices = new ArrayList<>();
    for (Device device : found.devices()) {
      if (device instanceof FabricDevice own && own.info.provider().startsWith(VERBS)) {
        unavailable.add(new Discovery.Unavailable(device.name(), "the provider of verbs uses this adapter without libfabric",
          "force the fabric '" + device.name() + "' to use it with libfabric"));
      } else {
        devices.add(device);
      }
    }
    return new Discovery(devices, unavailable);
  }

  /**
   * Checks the version of a library.
   *
   * @param version as fi_version(3) returns it
   * @param file path of the library
   * @return cause and remedy if it is too old, otherwise null
   */
  public static Discovery.Unavailable refused(int version, String file) {
    return version >= Fi.version(1, 17) ? null
      : new Discovery.Unavailable(NAME,
        "cannot use libfabric " + Fi.versionName(version) + " from " + file + ": version 1.17.0 or later is needed",
        "install libfabric 1.17.0 or later (Debian 12, Ubuntu 24.04), or set " + VARIABLE + " to the path of one");
  }

  private static String given(DiscoveryOptions options) {
    return options.setting(NAME, System.getenv(VARIABLE));
  }

  private static String remedy() {
    return RootCommand.of("apt-get install libfabric1") + " (Debian, Ubuntu), " + RootCommand.of("dnf install libfabric")
      + " (Fedora, RHEL), or on EC2 the EFA installer; " + VARIABLE + " names one elsewhere";
  }

  private static Discovery unavailable(String reason, String remedy) {
    return new Discovery(List.of(), List.of(new Discovery.Unavailable(NAME, reason, remedy)));
  }
}
