package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.NativeFunctions;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import io.github.vertxrdma.provider.ffi.SignalGuard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class Libfabric extends NativeFunctions {
  /** Newest supported version. It is passed to fi_getinfo(3), so that later versions behave like this one. */
  private static final int NEWEST = Fi.version(2, 6);

  private static final String CACHE = "FI_MR_CACHE_MONITOR";
  /**
   * Environment variables for libfabric, which reads them in the first fi_getinfo. Variables that the user has set are kept.
   * <ul>
   * <li>RX_SIZE: number of receives of an endpoint of rxm or cxi, which all its peers share.
   * <li>MAX_INJECT: size in bytes of the largest message that tcp sends without a completion, from 1.18 on. A completion would wake a
   * sleeping event loop.
   * <li>FI_MR_CACHE_MONITOR disables the cache of registrations, fi_mr(3). With it verbs registers memory with all rights, and peers can
   * access memory after its region was closed. It stays enabled with Slingshot adapters, because cxi would otherwise register the memory of
   * each operation with the kernel.
   * <li>MR_MATCH_EVENTS and OPTIMIZED_MRS: keys of cxi become invalid with their region and are not reused; fi_cxi(7).
   * <li>SHM_TRANSFER disables shared memory in efa, because with it efa has no fd to wait for; fi_efa(7).
   * </ul>
   */
  private static final Map<String, String> VARIABLES = Map.of("FI_OFI_RXM_RX_SIZE", "16384", "FI_CXI_DEFAULT_RX_SIZE", "15360",
    "FI_TCP_MAX_INJECT", "1024", CACHE, "disabled", "FI_CXI_MR_MATCH_EVENTS", "1", "FI_CXI_OPTIMIZED_MRS", "0",
    "FI_EFA_ENABLE_SHM_TRANSFER", "0");

  private final String file = library.file("fi_version");
  private final int version = Calls.number(require("fi_version"));
  private final long getinfo = require("fi_getinfo");
  private final long fabric = require("fi_fabric");
  private final long dupinfo = require("fi_dupinfo");
  private final long freeinfo = require("fi_freeinfo");
  private final long strerror = require("fi_strerror");

  Libfabric(NativeLibrary library) {
    super(library);
    variables(KernelDevices.mayHave(LibfabricProvider.SLINGSHOT)).forEach((name, value) -> {
      if (System.getenv(name) == null) {
        SignalGuard.setEnvironment(name, value);
      }
    });
  }

  static Map<String, String> variables(boolean slingshot) {
    Map<String, String> variables = new HashMap<>(VARIABLES);
    if (slingshot) {
      variables.remove(CACHE);
    }
    return variables;
  }

  int version() {
    return version;
  }

  String file() {
    return file;
  }

  /** Returns an empty fi_info for hints. The library allocates it, because newer versions have larger structs. */
  FiInfo hints() {
    return copyOf(0);
  }

  FiInfo copyOf(long info) {
    long copy = Calls.pointer(dupinfo, info);
    if (copy == 0) {
      throw new ProviderException(ProviderException.Reason.LIMIT, Errno.ENOMEM, "fi_dupinfo: out of memory");
    }
    return new FiInfo(this, copy);
  }

  void freeInfo(long info) {
    Calls.number(freeinfo, info);
  }

  /**
   * Calls fi_getinfo(3). Restores signal handlers that the loaded providers replace.
   *
   * @param node local address, or null for any
   */
  List<FiInfo> info(String node, FiInfo hints) {
    long out = Memory.allocate(8);
    long cNode = node == null ? 0 : Memory.allocateString(node);
    long cService = node == null ? 0 : Memory.allocateString("0");
    try {
      int status = SignalGuard.run(() -> Calls.number(getinfo, Math.min(version, NEWEST), cNode, cService, node == null ? 0L : Fi.SOURCE,
        hints.address(), out));
      if (status == -Errno.ENODATA || status == -Errno.ENOENT || status == -Errno.ENOSYS || status == -Errno.ENODEV) {
        return List.of();
      }
      FabricErrors.check(this, status, "fi_getinfo");
      List<FiInfo> found = new ArrayList<>();
      long list = Memory.getLong(out);
      for (long info = list; info != 0; info = Memory.getLong(info + Structs.INFO_NEXT)) {
        found.add(copyOf(info));
      }
      if (list != 0) {
        freeInfo(list);
      }
      return found;
    } finally {
      Memory.free(out);
      Memory.free(cNode);
      Memory.free(cService);
    }
  }

  Fid openFabric(FiInfo info) {
    long out = Memory.allocate(8);
    try {
      FabricErrors.check(this, Calls.number(fabric, Memory.getLong(info.address() + Structs.INFO_FABRIC_ATTR), out, 0),
        info.provider() + ": fi_fabric");
      return new Fid("fabric", Memory.getLong(out));
    } finally {
      Memory.free(out);
    }
  }

  /** Describes a positive or negative error number, such as {@code errno 61 ENODATA, No data available}. */
  String describe(int errno) {
    int positive = Math.abs(errno);
    if (positive < Fi.EOTHER) {
      return Errno.describe(positive);
    }
    return "errno " + positive + ", " + Memory.getString(Calls.pointer(strerror, positive));
  }
}
