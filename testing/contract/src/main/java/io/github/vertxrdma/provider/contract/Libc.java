package io.github.vertxrdma.provider.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/** Functions of the C library. */
final class Libc {
  private static final MethodHandle POLL = find("poll", ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
  private static final short POLLIN = 1;

  private Libc() {
  }

  private static MethodHandle find(String name, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  /** Calls a function that returns an int. @param arguments each an Integer, a Long or a MemorySegment */
  static int call(String name, Object... arguments) {
    MemoryLayout[] layouts = Arrays.stream(arguments).map(argument -> argument instanceof Integer ? ValueLayout.JAVA_INT
      : argument instanceof Long ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS).toArray(MemoryLayout[]::new);
    try {
      return (int) find(name, layouts).invokeWithArguments(arguments);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /** Calls a function that must not fail. */
  static int require(String name, Object... arguments) {
    int result = call(name, arguments);
    if (result < 0) {
      throw new IllegalStateException(name + " returned " + result);
    }
    return result;
  }

  static boolean readable(int fd, int millis) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment pollfd = arena.allocate(8, 4); // struct pollfd { int fd; short events; short revents; }
      pollfd.set(ValueLayout.JAVA_INT, 0, fd);
      pollfd.set(ValueLayout.JAVA_SHORT, 4, POLLIN);
      return (int) POLL.invokeExact(pollfd, 1L, millis) > 0;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
