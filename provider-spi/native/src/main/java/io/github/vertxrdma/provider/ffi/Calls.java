package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * Calls of C functions of at most six arguments by address, through two method handles: a handle for each signature makes fifteen classes,
 * which a process would wait for when it starts. Every argument is 64 bits, and all six are passed: on the ABIs of Linux on x86-64 and
 * AArch64 integers of any size and pointers travel in such registers, and a callee reads the bits and the registers it wants, those of
 * variable arguments too. Functions with floating point or structs by value are not for here. Calling 0 ends the process: the caller has
 * checked it.
 */
public final class Calls {
  private static final MethodHandle PLAIN = Downcall.of(long.class, long.class, long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle CAPTURING = Downcall.capturing(long.class, long.class, long.class, long.class, long.class, long.class,
    long.class);

  private Calls() {
  }

  /**
   * Calls a function for control that returns a pointer or a 64-bit number, with errno kept for {@link Errno#last()}: 80 ns more than
   * without.
   */
  public static long pointer(long function) {
    return pointer(function, 0, 0, 0, 0, 0, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a) {
    return pointer(function, a, 0, 0, 0, 0, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a, long b) {
    return pointer(function, a, b, 0, 0, 0, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a, long b, long c) {
    return pointer(function, a, b, c, 0, 0, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a, long b, long c, long d) {
    return pointer(function, a, b, c, d, 0, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a, long b, long c, long d, long e) {
    return pointer(function, a, b, c, d, e, 0);
  }

  /** As {@link #pointer(long)}. */
  public static long pointer(long function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CAPTURING.invokeExact(MemorySegment.ofAddress(function), Errno.state(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** As {@link #pointer(long)}, for a function that returns an int, or nothing. */
  public static int number(long function) {
    return (int) pointer(function);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a) {
    return (int) pointer(function, a);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a, long b) {
    return (int) pointer(function, a, b);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a, long b, long c) {
    return (int) pointer(function, a, b, c);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a, long b, long c, long d) {
    return (int) pointer(function, a, b, c, d);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a, long b, long c, long d, long e) {
    return (int) pointer(function, a, b, c, d, e);
  }

  /** As {@link #number(long)}. */
  public static int number(long function, long a, long b, long c, long d, long e, long f) {
    return (int) pointer(function, a, b, c, d, e, f);
  }

  /**
   * Calls a function without a look at errno: for those that are called for each message, and those that have none.
   *
   * @param function kept by the caller, so that no call makes one
   */
  public static long plain(MemorySegment function, long a) {
    return plain(function, a, 0, 0, 0, 0, 0);
  }

  /** As {@link #plain(MemorySegment, long)}. */
  public static long plain(MemorySegment function, long a, long b) {
    return plain(function, a, b, 0, 0, 0, 0);
  }

  /** As {@link #plain(MemorySegment, long)}. */
  public static long plain(MemorySegment function, long a, long b, long c) {
    return plain(function, a, b, c, 0, 0, 0);
  }

  /** As {@link #plain(MemorySegment, long)}. */
  public static long plain(MemorySegment function, long a, long b, long c, long d) {
    return plain(function, a, b, c, d, 0, 0);
  }

  /** As {@link #plain(MemorySegment, long)}. */
  public static long plain(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) PLAIN.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** Handles declare Throwable, C calls throw none. */
  public static RuntimeException rethrow(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
