package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

final class NineArguments {
  private static final MethodHandle CALL = Downcall.of(long.class, long.class, long.class, long.class, long.class, long.class, long.class,
    long.class, long.class, long.class);

  private NineArguments() {
  }

  /**
   * Calls a function such as fi_mr_reg(domain, buf, len, access, offset, requested_key, flags, mr, context) or fi_compare_atomicmsg(ep,
   * msg, comparev, compare_desc, compare_count, resultv, result_desc, result_count, flags).
   */
  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f, long g, long h, long i) {
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f, g, h, i);
    } catch (Throwable t) {
      throw Calls.rethrow(t);
    }
  }
}
