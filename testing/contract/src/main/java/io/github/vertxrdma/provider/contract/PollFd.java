package io.github.vertxrdma.provider.contract;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

final class PollFd {
  private static final short POLLIN = 1;
  private static final MethodHandle POLL = Libc.find("poll", ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);

  private PollFd() {
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
