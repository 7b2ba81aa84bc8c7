package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.KernelDevices;
import io.github.vertxrdma.provider.ffi.Memory;
import io.github.vertxrdma.provider.ffi.NativeFunctions;
import io.github.vertxrdma.provider.ffi.NativeLibrary;
import io.github.vertxrdma.provider.ffi.Scratch;
import io.github.vertxrdma.provider.ffi.SignalGuard;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
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
   * <li>RX_MATCH_MODE: in its default mode {@code hardware}, cxi ends the process when the list entries run out that all processes of a
   * host share, for example because a process that does not run receives messages; fi_cxi(7).
   * <li>FI_HMEM: efa would otherwise create a CUDA context in each process. Read from 1.20 on; fi_getinfo(3).
   * <li>SHM_TRANSFER disables shared memory in efa, which is not needed and installs signal handlers; fi_efa(7).
   * </ul>
   */
  private static final Map<String, String> VARIABLES = Map.of("FI_OFI_RXM_RX_SIZE", "16384", "FI_CXI_DEFAULT_RX_SIZE", "15360",
    "FI_TCP_MAX_INJECT", "1024", CACHE, "disabled", "FI_CXI_MR_MATCH_EVENTS", "1", "FI_CXI_OPTIMIZED_MRS", "0",
    "FI_CXI_RX_MATCH_MODE", "hybrid", "FI_HMEM", "system", "FI_EFA_ENABLE_SHM_TRANSFER", "0");

  /** Linked on first use, because discovery does not need it. */
  private static final class NineArguments {
    private static final MethodHandle CALL = Downcall.of(long.class, long.class, long.class, long.class, long.class, long.class,
      long.class, long.class, long.class, long.class);
  }

  final String file = library.file("fi_version");
  /** Version as fi_version(3) returns it. */
  final int version = Calls.number(require("fi_version"));
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

  /**
   * Calls a function with more arguments than those of {@link Calls}, such as fi_mr_reg(domain, buf, len, access, offset, requested_key,
   * flags, mr, context) or fi_compare_atomicmsg(ep, msg, comparev, compare_desc, compare_count, resultv, result_desc, result_count, flags).
   */
  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g, long h, long i) {
    try {
      return (long) NineArguments.CALL.invokeExact(function, a, b, c, d, e, f, g, h, i);
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
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
    try (Scratch out = Scratch.of(8); Scratch cNode = Scratch.of(node == null ? "" : node); Scratch cService = Scratch.of("0")) {
      int asked = Math.min(version, NEWEST);
      int status = SignalGuard.run(() -> node == null ? Calls.number(getinfo, asked, 0, 0, 0, hints.address(), out.address())
        : Calls.number(getinfo, asked, cNode.address(), cService.address(), Fi.SOURCE, hints.address(), out.address()));
      if (status == -Errno.ENODATA || status == -Errno.ENOENT || status == -Errno.ENOSYS || status == -Errno.ENODEV) {
        return List.of();
      }
      FabricErrors.check(this, status, "fi_getinfo");
      List<FiInfo> found = new ArrayList<>();
      long list = Memory.getLong(out.address());
      for (long info = list; info != 0; info = Memory.getLong(info + Structs.INFO_NEXT)) {
        found.add(copyOf(info));
      }
      if (list != 0) {
        freeInfo(list);
      }
      return found;
    }
  }

  Fid openFabric(FiInfo info) {
    try (Scratch out = Scratch.of(8)) {
      FabricErrors.check(this, Calls.number(fabric, Memory.getLong(info.address() + Structs.INFO_FABRIC_ATTR), out.address(), 0),
        info.provider() + ": fi_fabric");
      return new Fid("fabric", Memory.getLong(out.address()));
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
