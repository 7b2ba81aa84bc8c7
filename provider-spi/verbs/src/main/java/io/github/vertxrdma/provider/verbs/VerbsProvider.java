package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.LibraryLookup;
import io.github.vertxrdma.provider.ffi.LibrarySearch;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import io.github.vertxrdma.provider.ffi.RootCommand;
import java.util.List;

/**
 * InfiniBand, RoCE and iWARP by libibverbs and librdmacm: reliable connected queue pairs (RC), ibv_create_qp(3).
 *
 * <p>Settings, each also a system property {@code vertx.rdma.<name>}:
 * <ul>
 * <li>{@code verbs.device}: names of the only devices to use, separated by commas
 * <li>{@code verbs.port}: number of the only port to use; default: all active ones
 * <li>{@code verbs.gid-index}; default: that of the device's address, RoCE v2 before v1
 * <li>{@code verbs.pkey}: a partition key's value; default: the first of the table, full members before limited ones
 * <li>{@code verbs.relaxed-ordering}: {@code own}, memory that peers do not write, the default; {@code all} or {@code off}
 * <li>{@code verbs.connect}: {@code cm}, by the connection manager if possible, the default; {@code exchange}, never by it
 * <li>{@code verbs.libibverbs}, {@code verbs.librdmacm}: paths of the libraries, as in {@code VERTX_RDMA_VERBS} and {@code
 * VERTX_RDMA_RDMACM} of the environment
 * </ul>
 *
 * <p>{@link EndpointSettings} has the settings of an endpoint.
 */
public final class VerbsProvider implements Provider {
  static final String NAME = "verbs";
  private static final String LIBRARY = "verbs.libibverbs";
  private static final String VARIABLE = "VERTX_RDMA_VERBS";
  private static final String CM_VARIABLE = "VERTX_RDMA_RDMACM";

  /** For {@link java.util.ServiceLoader}. */
  public VerbsProvider() {
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Loads nothing if the kernel has no device, unless the user names a library, which may have a device in user space. */
  @Override
  public Discovery discover(DiscoveryOptions options) {
    if (given(LIBRARY, VARIABLE, options) == null && !DeviceFiles.mayHaveDevices()) {
      return nothing(DeviceFiles.noDevice());
    }
    LibraryLookup found = load("libibverbs.so.1", LIBRARY, VARIABLE, options);
    if (found instanceof LibraryLookup.Missing(String reason, String remedy)) {
      return nothing(new Discovery.Unavailable(NAME, reason, remedy));
    }
    try {
      IbVerbs verbs = new IbVerbs(((LibraryLookup.Found) found).library());
      return new DeviceSearch(verbs, manager(options), options).discover();
    } catch (ProviderException e) {
      return nothing(new Discovery.Unavailable(NAME, e.getMessage(), remedy()));
    }
  }

  private static String remedy() {
    return "install it: " + RootCommand.of("apt-get install libibverbs1 librdmacm1 ibverbs-providers") + " (Debian, Ubuntu), "
      + RootCommand.of("dnf install libibverbs librdmacm") + " (Fedora, RHEL)";
  }

  private static Discovery nothing(Discovery.Unavailable why) {
    return new Discovery(List.of(), List.of(why));
  }

  private static Manager manager(DiscoveryOptions options) {
    String connect = options.setting("verbs.connect", "cm");
    return switch (connect) {
      case "cm" -> load("librdmacm.so.1", "verbs.librdmacm", CM_VARIABLE, options) instanceof LibraryLookup.Found(NativeLibrary library)
        ? Manager.of(new RdmaCm(library)) : Manager.none("librdmacm.so.1, which connects, is not installed",
          RootCommand.of("apt-get install librdmacm1") + " (Debian, Ubuntu), " + RootCommand.of("dnf install librdmacm")
            + " (Fedora, RHEL)");
      case "exchange" -> Manager.none("the setting verbs.connect is 'exchange'", null);
      default -> throw new ProviderException(ProviderException.Reason.INVALID, "verbs.connect is '" + connect
        + "'; it may be 'cm' or 'exchange'");
    };
  }

  private static LibraryLookup load(String soname, String setting, String variable, DiscoveryOptions options) {
    String givenBy = options.setting(setting, null) != null ? "setting " + setting : variable;
    return NativeLibrary.load(new LibrarySearch(soname, given(setting, variable, options), givenBy, List.of(), remedy()));
  }

  /** Returns the path of a library that the user names, or null. */
  private static String given(String setting, String variable, DiscoveryOptions options) {
    String given = options.setting(setting, System.getenv(variable));
    return given == null || given.isBlank() ? null : given;
  }
}
