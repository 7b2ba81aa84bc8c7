package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.Memory;

/** Lowers this process's memlock limit until it is closed; setrlimit(2). */
final class MemlockChange implements AutoCloseable {
  private static final int RLIMIT_MEMLOCK = 8;
  private final long limits = Memory.allocate(16);
  private final long before;

  private MemlockChange(long bytes) {
    call("getrlimit");
    before = Memory.getLong(limits);
    Memory.putLong(limits, bytes);
    call("setrlimit");
  }

  static MemlockChange to(long bytes) {
    return new MemlockChange(bytes);
  }

  private void call(String name) {
    if (Calls.number(Downcall.libc(name), RLIMIT_MEMLOCK, limits) != 0) {
      throw new IllegalStateException(name + " failed");
    }
  }

  @Override
  public void close() {
    Memory.putLong(limits, before);
    call("setrlimit");
    Memory.free(limits);
  }
}
