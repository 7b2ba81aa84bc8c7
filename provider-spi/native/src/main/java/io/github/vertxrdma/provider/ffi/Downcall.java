package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Creates method handles for signatures that {@link Calls} lacks. Their first argument is the address of the function, so one {@code static
 * final} handle serves all ops tables. Pointers and {@code size_t} are {@code long}. Calls are not {@code critical}: a loop of such calls
 * can keep the VM from its safepoint.
 */
public final class Downcall {
  private static final Linker LINKER = Linker.nativeLinker();

  private Downcall() {
  }

  /**
   * Returns a handle of type (MemorySegment function, arguments…)result. The caller keeps the segment, so that no call allocates, and has
   * checked that it is not NULL.
   *
   * @param result {@code void}, {@code int}, {@code long}, …
   * @param arguments primitive types, or a {@code MemorySegment}: its arena is not closed during the call
   */
  public static MethodHandle of(Class<?> result, Class<?>... arguments) {
    return LINKER.downcallHandle(descriptor(result, arguments));
  }

  /**
   * Returns a handle like {@link #of} that captures errno, for control calls: (MemorySegment function, MemorySegment state,
   * arguments…)result. Costs 80 ns more. The state is {@link Errno#state()}.
   */
  public static MethodHandle capturing(Class<?> result, Class<?>... arguments) {
    return LINKER.downcallHandle(descriptor(result, arguments), Linker.Option.captureCallState("errno"));
  }

  /** Returns the address of a function of the C library, or 0 if it has none of that name. */
  public static long libc(String name) {
    return LINKER.defaultLookup().find(name).map(MemorySegment::address).orElse(0L);
  }

  /** Returns {@link #libc} as a segment, for {@link Calls#plain}. */
  public static MemorySegment function(String name) {
    return MemorySegment.ofAddress(libc(name));
  }

  private static FunctionDescriptor descriptor(Class<?> result, Class<?>... arguments) {
    MemoryLayout[] layouts = Arrays.stream(arguments).map(Downcall::layout).toArray(MemoryLayout[]::new);
    return result == void.class ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(layout(result), layouts);
  }

  private static MemoryLayout layout(Class<?> type) {
    if (type == long.class) {
      return ValueLayout.JAVA_LONG;
    }
    if (type == int.class) {
      return ValueLayout.JAVA_INT;
    }
    if (type == short.class) {
      return ValueLayout.JAVA_SHORT;
    }
    if (type == byte.class) {
      return ValueLayout.JAVA_BYTE;
    }
    if (type == MemorySegment.class) {
      return ValueLayout.ADDRESS;
    }
    throw new IllegalArgumentException("no C type for " + type);
  }
}
