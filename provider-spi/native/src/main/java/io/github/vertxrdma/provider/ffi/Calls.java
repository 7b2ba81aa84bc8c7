package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls C functions by address, with at most six integers or pointers. Two method handles serve all signatures, for a fast start. They pass
 * six 64-bit arguments in registers (Linux on x86-64 and AArch64); a function ignores surplus ones. Calling address 0 crashes the process.
 */
public final class Calls {
  private static final MethodHandle PLAIN = Downcall.of(long.class, long.class, long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle CAPTURING = Downcall.capturing(long.class, long.class, long.class, long.class, long.class, long.class,
    long.class);

  private Calls() {
  }

  /**
   * Calls a function that returns a pointer or a 64-bit number, with at most six arguments. Captures errno for {@link Errno#last()}, which
   * takes 80 ns. Calls of each message use the variants without an array.
   */
  public static long pointer(long function, long... arguments) {
    long[] a = new long[6];
    System.arraycopy(arguments, 0, a, 0, arguments.length);
    return pointer(function, a[0], a[1], a[2], a[3], a[4], a[5]);
  }

  public static long pointer(long function, long a, long b, long c) {
    return pointer(function, a, b, c, 0, 0, 0);
  }

  public static long pointer(long function, long a, long b, long c, long d) {
    return pointer(function, a, b, c, d, 0, 0);
  }

  private static long pointer(long function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CAPTURING.invokeExact(MemorySegment.ofAddress(function), Errno.state(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** Calls a function that returns an int or nothing. Captures errno. */
  public static int number(long function, long... arguments) {
    return (int) pointer(function, arguments);
  }

  /** Calls a function without capturing errno. The caller keeps the segment of the address, so that calls allocate nothing. */
  public static long plain(MemorySegment function, long a) {
    return plain(function, a, 0, 0, 0, 0, 0);
  }

  public static long plain(MemorySegment function, long a, long b) {
    return plain(function, a, b, 0, 0, 0, 0);
  }

  public static long plain(MemorySegment function, long a, long b, long c) {
    return plain(function, a, b, c, 0, 0, 0);
  }

  public static long plain(MemorySegment function, long a, long b, long c, long d) {
    return plain(function, a, b, c, d, 0, 0);
  }

  public static long plain(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) PLAIN.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  public static RuntimeException rethrow(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
