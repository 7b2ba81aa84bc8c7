package io.github.vertxrdma.provider.contract;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

final class Descriptors {
  private static final MethodHandle DUP = Libc.find("dup", ValueLayout.JAVA_INT);
  private static final MethodHandle DUP2 = Libc.find("dup2", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle EVENTFD = Libc.find("eventfd", ValueLayout.JAVA_INT, ValueLayout.JAVA_INT);
  private static final MethodHandle CLOSE = Libc.find("close", ValueLayout.JAVA_INT);

  private Descriptors() {
  }

  static int duplicate(int fd) {
    return Libc.call(DUP, fd);
  }

  static void replace(int fd, int number) {
    Libc.call(DUP2, fd, number);
  }

  static int event() {
    return Libc.call(EVENTFD, 0, 0);
  }

  static void close(int fd) {
    Libc.call(CLOSE, fd);
  }
}
