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
 * Provider for InfiniBand, RoCE and iWARP devices, with reliable connected queue pairs (RC) of libibverbs and librdmacm. docs/verbs.adoc
 * has the settings.
 */
public final class VerbsProvider implements Provider {
  static final String NAME = "verbs";
  private static final String LIBRARY = "verbs.libibverbs";
  private static final String VARIABLE = "VERTX_RDMA_VERBS";
  private static final String CM_VARIABLE = "VERTX_RDMA_RDMACM";

  @Override
  public String name() {
    return NAME;
  }

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
        ? Manager.of(new RdmaCm(library)) : Manager.none("librdmacm.so.1, the connection manager, is not installed",
          RootCommand.of("apt-get install librdmacm1") + " (Debian, Ubuntu), " + RootCommand.of("dnf install librdmacm")
            + " (Fedora, RHEL)");
      case "exchange" -> Manager.none("the setting verbs.connect is 'exchange'", null);
      default -> throw new ProviderException(ProviderException.Reason.INVALID, "verbs.connect is '" + connect
        + "', which is unknown. Use 'cm' or 'exchange'");
    };
  }

  private static LibraryLookup load(String soname, String setting, String variable, DiscoveryOptions options) {
    String givenBy = options.setting(setting, null) != null ? "setting " + setting : variable;
    return NativeLibrary.load(new LibrarySearch(soname, given(setting, variable, options), givenBy, List.of(), remedy()));
  }

  private static String given(String setting, String variable, DiscoveryOptions options) {
    String given = options.setting(setting, System.getenv(variable));
    return given == null || given.isBlank() ? null : given;
  }
}
