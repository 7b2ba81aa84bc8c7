package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;

/** Limits the descriptors of this process, setrlimit(2), to fewer than it has, until it is closed. */
final class NoDescriptors implements AutoCloseable {
  private static final int RLIMIT_NOFILE = 7;
  private static final long GETRLIMIT = Downcall.libc("getrlimit");
  private static final long SETRLIMIT = Downcall.libc("setrlimit");

  private final long limits = Memory.allocate(16);
  private final long before;

  NoDescriptors() {
    assertEquals(0, Calls.number(GETRLIMIT, RLIMIT_NOFILE, limits));
    before = Memory.getLong(limits);
    Memory.putLong(limits, 3);
    assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
  }

  @Override
  public void close() {
    Memory.putLong(limits, before);
    assertEquals(0, Calls.number(SETRLIMIT, RLIMIT_NOFILE, limits));
    Memory.free(limits);
  }
}
