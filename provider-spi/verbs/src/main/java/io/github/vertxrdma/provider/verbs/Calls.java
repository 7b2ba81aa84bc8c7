package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Errno;
import java.lang.invoke.MethodHandle;

/**
 * Control calls by function address, with errno kept for {@link Errno#last()}. Every argument is passed as 64 bits: on the ABIs of
 * Linux on x86-64 and AArch64 integers of any size and pointers travel in such registers, and a callee reads the bits it wants.
 */
final class Calls {
  private static final MethodHandle C0 = Downcall.capturing(long.class);
  private static final MethodHandle C1 = Downcall.capturing(long.class, long.class);
  private static final MethodHandle C2 = Downcall.capturing(long.class, long.class, long.class);
  private static final MethodHandle C3 = Downcall.capturing(long.class, long.class, long.class, long.class);
  private static final MethodHandle C4 = Downcall.capturing(long.class, long.class, long.class, long.class, long.class);
  private static final MethodHandle C5 = Downcall.capturing(long.class, long.class, long.class, long.class, long.class, long.class);

  private static final MethodHandle C6 =
    Downcall.capturing(long.class, long.class, long.class, long.class, long.class, long.class, long.class);

  private Calls() {
  }

  /** Calls a function that returns a pointer or a 64-bit number. */
  static long pointer(long function) {
    try {
      return (long) C0.invokeExact(function, Errno.state());
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a) {
    try {
      return (long) C1.invokeExact(function, Errno.state(), a);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a, long b) {
    try {
      return (long) C2.invokeExact(function, Errno.state(), a, b);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a, long b, long c) {
    try {
      return (long) C3.invokeExact(function, Errno.state(), a, b, c);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a, long b, long c, long d) {
    try {
      return (long) C4.invokeExact(function, Errno.state(), a, b, c, d);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a, long b, long c, long d, long e) {
    try {
      return (long) C5.invokeExact(function, Errno.state(), a, b, c, d, e);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  static long pointer(long function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) C6.invokeExact(function, Errno.state(), a, b, c, d, e, f);
    } catch (Throwable t) {
      throw rethrow(t);
    }
  }

  /** Calls a function that returns an int (or nothing). */
  static int number(long function, long a) {
    return (int) pointer(function, a);
  }

  static int number(long function, long a, long b) {
    return (int) pointer(function, a, b);
  }

  static int number(long function, long a, long b, long c) {
    return (int) pointer(function, a, b, c);
  }

  static int number(long function, long a, long b, long c, long d) {
    return (int) pointer(function, a, b, c, d);
  }

  static int number(long function, long a, long b, long c, long d, long e) {
    return (int) pointer(function, a, b, c, d, e);
  }

  static int number(long function, long a, long b, long c, long d, long e, long f) {
    return (int) pointer(function, a, b, c, d, e, f);
  }

  /** Handles declare Throwable, C calls throw none. */
  static RuntimeException rethrow(Throwable t) {
    if (t instanceof Error error) {
      throw error;
    }
    return t instanceof RuntimeException e ? e : new IllegalStateException(t);
  }
}
