package io.github.vertxrdma.impl.statistics;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A text that one thread replaces again and again and others read whole, in memory that processes may share: version 4 bytes, even, odd
 * while it is being written; length 4 bytes; then the text. In the machine's byte order.
 */
final class PublishedText {
  /** Bytes before the text. */
  static final int HEADER = 8;
  /**
   * Readings of a text that is being written, after which its writer is taken to have died in the middle; a busy machine makes it pause
   * there.
   */
  private static final int ATTEMPTS = 1100;
  /** Readings at once, before each next one waits. */
  private static final int AT_ONCE = 100;
  private static final long WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final VarHandle VERSION = ValueLayout.JAVA_INT.varHandle();
  private static final int LENGTH_AT = 4;

  private final MemorySegment memory;

  PublishedText(MemorySegment memory) {
    this.memory = memory;
  }

  /** Bytes of the longest text. */
  long most() {
    return memory.byteSize() - HEADER;
  }

  /** Replaces it. One thread at a time. */
  void write(byte[] text) {
    int version = (int) VERSION.get(memory, 0L);
    VERSION.setOpaque(memory, 0L, version + 1);
    VarHandle.storeStoreFence();
    memory.set(ValueLayout.JAVA_INT, LENGTH_AT, text.length);
    MemorySegment.copy(text, 0, memory, ValueLayout.JAVA_BYTE, HEADER, text.length);
    VERSION.setRelease(memory, 0L, version + 2);
  }

  /** Reads it; waits up to a second for who is writing it. @return null if there is none, or its writer is gone */
  byte[] read() {
    for (int i = 0; i < ATTEMPTS; i++) {
      int before = (int) VERSION.getAcquire(memory, 0L);
      int length = memory.get(ValueLayout.JAVA_INT, LENGTH_AT);
      if ((before & 1) == 0 && before != 0 && length >= 0 && length <= most()) {
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
