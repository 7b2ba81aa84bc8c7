package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Layout of a ring buffer's file: a page with words of both sides, then the records. The words are 128 bytes apart, because processors
 * fetch cache lines in pairs.
 */
final class Ring {
  /** Offset of the number of bytes read so far, which the reader writes. */
  static final long HEAD = 128;
  /** Offset of a word that is 1 while the writer waits for room and must be woken. */
  static final long WRITER_WAITS = 384;
  static final long DATA = AnonymousFile.PAGE;

  static final int SMALLEST = 16 * 1024;
  static final int LARGEST = 1 << 20;

  static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
  static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();

  private Ring() {
  }

  static int capacity(MemorySegment memory) {
    return capacity(memory.byteSize());
  }

  private static int capacity(long size) {
    long bytes = size - DATA;
    return bytes >= SMALLEST && bytes <= LARGEST && Long.bitCount(bytes) == 1 ? (int) bytes : -1;
  }

  static Mapping map(ReceivedDescriptor file, long size) {
    if (capacity(size) < 0) {
      throw new ProviderException(ProviderException.Reason.OTHER, "shm: the peer sent a ring buffer of invalid size, " + size + " "
        + "bytes. Check that both processes have the same version of vertx-rdma");
    }
    return file.map(size, true);
  }
}
