package io.github.vertxrdma.impl.process;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Text in shared memory that one thread replaces and others read consistently: version 4 bytes, odd during a write; length 4 bytes; text;
 * native byte order.
 */
final class PublishedText {
  static final int HEADER = 8;
  /** Number of attempts to read before the writer counts as dead. */
  private static final int ATTEMPTS = 1100;
  /** Number of attempts without a pause. */
  private static final int AT_ONCE = 100;
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final VarHandle VERSION = ValueLayout.JAVA_INT.varHandle();
  private static final int LENGTH_AT = 4;

  private final MemorySegment memory;

  PublishedText(MemorySegment memory) {
    this.memory = memory;
  }

  long maxLength() {
    return memory.byteSize() - HEADER;
  }

  /** Only one thread writes. */
  void write(byte[] text) {
    int version = (int) VERSION.get(memory, 0L);
    VERSION.setOpaque(memory, 0L, version + 1);
    VarHandle.storeStoreFence();
    memory.set(ValueLayout.JAVA_INT, LENGTH_AT, text.length);
    MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, HEADER, text.length);
    VERSION.setRelease(memory, 0L, version + 2);
  }

  /** Waits up to a second for a writer. @return null if there is no text or the writer has died */
  byte[] read() {
    for (int i = 0; i < ATTEMPTS; i++) {
      int before = (int) VERSION.getAcquire(memory, 0L);
      int length = memory.get(ValueLayout.JAVA_INT, LENGTH_AT);
      if ((before & 1) == 0 && before != 0 && length >= 0 && length <= maxLength()) {
        byte[] text = memory.asSlice(HEADER, length).toArray(ValueLayout.JAVA_BYTE);
        VarHandle.loadLoadFence();
        if ((int) VERSION.getOpaque(memory, 0L) == before) {
          return text;
        }
      }
      if (i < AT_ONCE) {
        Thread.onSpinWait();
      } else if (before != 0) {
        LockSupport.parkNanos(WAIT_NANOS);
      }
    }
    return null;
  }
}
