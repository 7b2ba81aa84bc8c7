package io.github.vertxrdma.cli;

import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.LibraryLookup;
import io.github.vertxrdma.provider.ffi.LibrarySearch;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import io.github.vertxrdma.provider.libfabric.LibfabricProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

final class LibrariesCheck implements Check {
  private static final List<String> EFA = List.of("/opt/amazon/efa/lib64/libfabric.so.1", "/opt/amazon/efa/lib/libfabric.so.1");

  @Override
  public List<Finding> run(Machine machine) {
    List<Finding> findings = new ArrayList<>();
    findings.add(libfabric(machine));
    findings.add(rdmaCore(machine, "libibverbs", "ibv_get_device_list", "VERTX_RDMA_VERBS",
      machine.install("libibverbs1 ibverbs-providers", "libibverbs")));
    findings
      .add(rdmaCore(machine, "librdmacm", "rdma_create_event_channel", "VERTX_RDMA_RDMACM", machine.install("librdmacm1", "librdmacm")));
    return findings;
  }

  private static Finding libfabric(Machine machine) {
    return switch (load(machine, "libfabric", "VERTX_RDMA_LIBFABRIC", EFA, machine.install("libfabric1", "libfabric"))) {
      case LibraryLookup.Missing missing -> missing(machine, "libfabric", "VERTX_RDMA_LIBFABRIC", missing);
      case LibraryLookup.Found found -> {
        long function = found.library().find("fi_version");
        String file = found.library().file("fi_version");
        if (function == 0) {
          yield Finding.failure("libfabric", file + " is not a libfabric", machine.install("libfabric1", "libfabric"));
        }
        int version = Calls.number(function);
        String number = (version >>> 16) + "." + (version & 0xffff);
        Discovery.Unavailable refused = LibfabricProvider.refused(version, file);
        if (refused == null) {
          yield Finding.ok("libfabric", number + " in " + file);
        }
        yield machine.variable("VERTX_RDMA_LIBFABRIC").isEmpty()
          ? Finding.warning("libfabric", refused.reason(), refused.remedy())
          : Finding.failure("libfabric", refused.reason(), refused.remedy());
      }
    };
  }

  private static Finding rdmaCore(Machine machine, String name, String symbol, String variable, String remedy) {
    return switch (load(machine, name, variable, List.of(), remedy)) {
      case LibraryLookup.Missing missing -> missing(machine, name, variable, missing);
      case LibraryLookup.Found found -> found.library().find(symbol) == 0
        ? Finding.failure(name, found.library().file(symbol) + " is not a " + name, remedy)
        : Finding.ok(name, real(found.library().file(symbol)));
    };
  }

  private static LibraryLookup load(Machine machine, String name, String variable, List<String> places, String remedy) {
    String given = machine.variable(variable);
    return NativeLibrary.load(new LibrarySearch(name + ".so.1", given.isEmpty() ? null : given, variable, places, remedy));
  }

  /** A missing library is an error only if the user named it. */
  private static Finding missing(Machine machine, String name, String variable, LibraryLookup.Missing missing) {
    return !machine.variable(variable).isEmpty()
      ? Finding.failure(name, missing.reason(), "unset " + variable)
      : Finding.warning(name, missing.reason() + "; fabrics that need it cannot be used, but nio can", missing.remedy());
  }

  /** Resolves links, because the target's name ends with the version. */
  private static String real(String file) {
    try {
      return Path.of(file).toRealPath().toString();
    } catch (IOException e) {
      return file;
    }
  }
}
