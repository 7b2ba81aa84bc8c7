package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Arrays;

/**
 * Makes method handles that call C functions whose address is their first argument, so one {@code static final} handle per
 * signature serves every object's ops table. Pointers and {@code size_t} are {@code long}. Calls are plain ones: a loop of
 * {@code Linker.Option.critical} calls can keep the whole VM from its safepoint.
 */
public final class Downcall {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle OF_ADDRESS;

  static {
    try {
      OF_ADDRESS = MethodHandles.lookup().findStatic(MemorySegment.class, "ofAddress", MethodType.methodType(MemorySegment.class, long.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private Downcall() {
  }

  /**
   * A handle of type (long function, arguments…)result. The caller checks that the function is not 0: calling 0 ends the process.
   *
   * @param result {@code void}, {@code int}, {@code long}, …
   * @param arguments primitive types
   */
  public static MethodHandle of(Class<?> result, Class<?>... arguments) {
    return MethodHandles.filterArguments(kept(result, arguments), 0, OF_ADDRESS);
  }

  /**
   * As {@link #of}, for functions that are called for each message: (MemorySegment function, arguments…)result. The caller keeps the segment, so
   * that no call makes one. An argument may be a {@code MemorySegment}: its arena is not closed during the call.
   */
  public static MethodHandle kept(Class<?> result, Class<?>... arguments) {
    return LINKER.downcallHandle(descriptor(result, arguments));
  }

  /**
   * As {@link #of}, with the variable errno captured right after the call: (long function, MemorySegment state, arguments…)result.
   * Costs about 80 ns more, so it is for control calls. The state is {@link Errno#state()}.
   */
  public static MethodHandle capturing(Class<?> result, Class<?>... arguments) {
    return MethodHandles.filterArguments(
      LINKER.downcallHandle(descriptor(result, arguments), Linker.Option.captureCallState("errno")), 0, OF_ADDRESS);
  }

  /**
   * As {@link #of}, for C functions with variable arguments (fcntl(2), open(2)).
   *
   * @param fixed the number of arguments before the variable ones
   */
  public static MethodHandle variadic(int fixed, Class<?> result, Class<?>... arguments) {
    return MethodHandles.filterArguments(
      LINKER.downcallHandle(descriptor(result, arguments), Linker.Option.firstVariadicArg(fixed)), 0, OF_ADDRESS);
  }

  /** The address of a function of the C library, 0 if it has none of that name. */
  public static long libc(String name) {
    return LINKER.defaultLookup().find(name).map(MemorySegment::address).orElse(0L);
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
