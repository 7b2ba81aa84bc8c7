package io.github.vertxrdma.provider.ffi;

import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * Restores HotSpot's signal handlers after native calls that replace them; sigaction(2). HotSpot needs its handlers for null checks and
 * safepoints. Loading Debian's libfabric replaces them, and so does the first endpoint of libfabric's shared-memory provider.
 */
public final class SignalGuard {
  private static final MemorySegment SIGACTION = Downcall.function("sigaction");
  private static final MemorySegment SETENV = Downcall.function("setenv");
  private static final MemorySegment UNSETENV = Downcall.function("unsetenv");
  /** SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGPIPE, SIGTERM and SIGXFSZ. */
  private static final int[] SIGNALS = {1, 2, 3, 4, 5, 6, 7, 8, 11, 13, 15, 25};
  /** Bytes that suffice for struct sigaction on any Linux. */
  private static final int ROOM = 256;

  private SignalGuard() {
  }

  /** Runs a call, then restores the handlers that it replaced, even if it throws. */
  public static synchronized <T> T run(Supplier<T> call) {
    try (Scratch scratch = Scratch.of((long) ROOM * (SIGNALS.length + 1))) {
      long saved = scratch.address();
      long now = saved + (long) ROOM * SIGNALS.length;
      for (int i = 0; i < SIGNALS.length; i++) {
        sigaction(SIGNALS[i], 0, saved + (long) i * ROOM);
      }
      try {
        return call.get();
      } finally {
        for (int i = 0; i < SIGNALS.length; i++) {
          long before = saved + (long) i * ROOM;
          sigaction(SIGNALS[i], 0, now);
          if (Memory.getLong(now) != Memory.getLong(before)) {
            sigaction(SIGNALS[i], before, 0);
          }
        }
      }
    }
  }

  public static long handler(int signal) {
    try (Scratch now = Scratch.of(ROOM)) {
      sigaction(signal, 0, now.address());
      return Memory.getLong(now.address());
    }
  }

  /** Sets an environment variable for C libraries only; setenv(3). @param value null removes the variable */
  public static void setEnvironment(String name, String value) {
    try (Scratch cName = Scratch.of(name); Scratch cValue = value == null ? null : Scratch.of(value)) {
      if (cValue == null) {
        Calls.plain(UNSETENV, cName.address());
      } else {
        Calls.plain(SETENV, cName.address(), cValue.address(), 1);
      }
    }
  }

  private static void sigaction(int signal, long set, long get) {
    Calls.plain(SIGACTION, signal, set, get);
  }
}
