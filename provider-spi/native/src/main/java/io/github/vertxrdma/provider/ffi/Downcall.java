package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Creates method handles for signatures that {@link Calls} lacks. The first argument is the function's address, so one {@code static final}
 * handle serves all libraries. Types are {@code int}, {@code MemorySegment}, and {@code long} for pointers and {@code size_t}. Calls are
 * not {@code critical}: a loop of critical calls can delay HotSpot's safepoints.
 */
public final class Downcall {
  private static final Linker LINKER = Linker.nativeLinker();

  private Downcall() {
  }

  /** Returns a handle of type (MemorySegment function, arguments…)result. The caller checks that {@code function} is not NULL. */
  public static MethodHandle of(Class<?> result, Class<?>... arguments) {
    return LINKER.downcallHandle(descriptor(result, arguments));
  }

  /**
   * Returns a handle that captures errno: (MemorySegment function, MemorySegment state, arguments…)result. Pass {@link Errno#state()} as
   * state. A call takes 80 ns longer than one of {@link #of}.
   */
  public static MethodHandle capturing(Class<?> result, Class<?>... arguments) {
    return LINKER.downcallHandle(descriptor(result, arguments), Linker.Option.captureCallState("errno"));
  }

  /** Returns the address of a function of the C library, or 0 if there is none. */
  public static long libc(String name) {
    return LINKER.defaultLookup().find(name).map(MemorySegment::address).orElse(0L);
  }

  public static MemorySegment function(String name) {
    return MemorySegment.ofAddress(libc(name));
  }

  private static FunctionDescriptor descriptor(Class<?> result, Class<?>... arguments) {
    MemoryLayout[] layouts = Arrays.stream(arguments).map(Downcall::layout).toArray(MemoryLayout[]::new);
    return FunctionDescriptor.of(layout(result), layouts);
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == MemorySegment.class) {
      return ValueLayout.ADDRESS;
    }
    return type == int.class ? ValueLayout.JAVA_INT : ValueLayout.JAVA_LONG;
  }
}
