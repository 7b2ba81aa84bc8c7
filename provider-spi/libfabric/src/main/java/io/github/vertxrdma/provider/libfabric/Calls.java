package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.ffi.Downcall;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls through function pointers, one static handle per C signature. The function is the first argument and must not be 0;
 * whoever read it from an ops table checked that. What is called for each message takes it as a segment, which its caller keeps. Negative
 * results are negated error numbers.
 */
final class Calls {
  private static final MethodHandle INT_L = Downcall.of(int.class, long.class);
  private static final MethodHandle INT_LL = Downcall.of(int.class, long.class, long.class);
  private static final MethodHandle INT_LLL = Downcall.of(int.class, long.class, long.class, long.class);
  private static final MethodHandle INT_LLLL = Downcall.of(int.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle INT_LLI = Downcall.of(int.class, long.class, long.class, int.class);
  private static final MethodHandle INT_LIL = Downcall.of(int.class, long.class, int.class, long.class);
  private static final MethodHandle INT_LIIL = Downcall.of(int.class, long.class, int.class, int.class, long.class);
  private static final MethodHandle INT_LIILL = Downcall.of(int.class, long.class, int.class, int.class, long.class, long.class);
  private static final MethodHandle INT_6L =
    Downcall.of(int.class, long.class, long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle INT_9L = Downcall.of(int.class, long.class, long.class, long.class, long.class, long.class, long.class,
    long.class, long.class, long.class);
  private static final MethodHandle LONG_LLL = Downcall.kept(long.class, long.class, long.class, long.class);
  private static final MethodHandle LONG_LLLL = Downcall.of(long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle LONG_5L = Downcall.of(long.class, long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle LONG_6L =
    Downcall.kept(long.class, long.class, long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle LONG_9L = Downcall.kept(long.class, long.class, long.class, long.class, long.class, long.class,
    long.class, long.class, long.class, long.class);
  private static final MethodHandle LONG_LILLL = Downcall.of(long.class, long.class, int.class, long.class, long.class, long.class);

  private Calls() {
  }

  /** close, listen. */
  static int status(long f, long a) {
    try {
      return (int) INT_L.invokeExact(f, a);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** shutdown. */
  static int status(long f, long a, long b) {
    try {
      return (int) INT_LL.invokeExact(f, a, b);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** bind, accept, getname. */
  static int status(long f, long a, long b, long c) {
    try {
      return (int) INT_LLL.invokeExact(f, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** domain, passive_ep, eq_open, cq_open, av_open, endpoint, connect, reject, av remove. */
  static int status(long f, long a, long b, long c, long d) {
    try {
      return (int) INT_LLLL.invokeExact(f, a, b, c, d);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** trywait(fabric, fids, count). */
  static int trywait(long f, long fabric, long fids, int count) {
    try {
      return (int) INT_LLI.invokeExact(f, fabric, fids, count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** control(fid, command, argument). */
  static int control(long f, long fid, int command, long argument) {
    try {
      return (int) INT_LIL.invokeExact(f, fid, command, argument);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** readwritevalid(ep, datatype, op, count). */
  static int atomicValid(long f, long ep, int datatype, int op, long count) {
    try {
      return (int) INT_LIIL.invokeExact(f, ep, datatype, op, count);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** getopt(fid, level, name, value, length). */
  static int getopt(long f, long fid, int level, int name, long value, long length) {
    try {
      return (int) INT_LIILL.invokeExact(f, fid, level, name, value, length);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** av insert(av, addr, count, fi_addr, flags, context). */
  static int status(long f, long a, long b, long c, long d, long e, long g) {
    try {
      return (int) INT_6L.invokeExact(f, a, b, c, d, e, g);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** mr reg(domain, buf, len, access, offset, requested_key, flags, mr, context). */
  static int register(long f, long domain, long buf, long len, long access, long offset, long key, long flags, long mr, long context) {
    try {
      return (int) INT_9L.invokeExact(f, domain, buf, len, access, offset, key, flags, mr, context);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** sendmsg, readmsg, writemsg, cq read, cq readerr, eq readerr. */
  static long size(MemorySegment f, long a, long b, long c) {
    try {
      return (long) LONG_LLL.invokeExact(f, a, b, c);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** inject(ep, buf, len, dest_addr). */
  static long size(long f, long a, long b, long c, long d) {
    try {
      return (long) LONG_LLLL.invokeExact(f, a, b, c, d);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** eq read(eq, event, buf, len, flags). */
  static long size(long f, long a, long b, long c, long d, long e) {
    try {
      return (long) LONG_5L.invokeExact(f, a, b, c, d, e);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** recv(ep, buf, len, desc, src_addr, context), readwritemsg(ep, msg, resultv, result_desc, result_count, flags). */
  static long size(MemorySegment f, long a, long b, long c, long d, long e, long g) {
    try {
      return (long) LONG_6L.invokeExact(f, a, b, c, d, e, g);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** compwritemsg(ep, msg, comparev, compare_desc, compare_count, resultv, result_desc, result_count, flags). */
  static long size(MemorySegment f, long a, long b, long c, long d, long e, long g, long h, long i, long j) {
    try {
      return (long) LONG_9L.invokeExact(f, a, b, c, d, e, g, h, i, j);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  /** cq strerror, eq strerror (queue, prov_errno, err_data, buf, len); a C string. */
  static long text(long f, long queue, int error, long data, long buf, long len) {
    try {
      return (long) LONG_LILLL.invokeExact(f, queue, error, data, buf, len);
    } catch (Throwable t) {
      throw unexpected(t);
    }
  }

  static RuntimeException unexpected(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
