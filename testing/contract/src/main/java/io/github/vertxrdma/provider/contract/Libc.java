package io.github.vertxrdma.provider.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/** Functions of the C library. */
final class Libc {
  private static final MethodHandle DUP = find("dup", ValueLayout.JAVA_INT);
  private static final MethodHandle DUP2 = find("dup2", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle EVENTFD = find("eventfd", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle CLOSE = find("close", ValueLayout.JAVA_INT);
  private static final MethodHandle POLL = find("poll", ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
  private static final short POLLIN = 1;

  private Libc() {
  }

  static MethodHandle find(String name, MemoryLayout... arguments) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().find(name).orElseThrow(), FunctionDescriptor.of(ValueLayout.JAVA_INT, arguments));
  }

  static int call(MethodHandle function, Object... arguments) {
    int result;
    try {
      result = (int) function.invokeWithArguments(arguments);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    if (result < 0) {
      throw new IllegalStateException(function + " gave " + result);
    }
    return result;
  }

  static int duplicate(int fd) {
    return call(DUP, fd);
  }

  static void replace(int fd, int number) {
    call(DUP2, fd, number);
  }

  static int event() {
    return call(EVENTFD, 0, 0);
  }

  static void close(int fd) {
    call(CLOSE, fd);
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
