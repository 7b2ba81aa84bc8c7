package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Reads into a new buffer. */
final class ReadToBuffer extends ReadOperation<Buffer> {
  private final byte[] bytes;

  ReadToBuffer(Lease lease, long offset, int length, boolean notifies, long tag, Promise<Buffer> promise, long timeoutMillis) {
    super(lease, offset, length, notifies, tag, promise, timeoutMillis);
    bytes = new byte[length];
  }

  @Override
  void take(MemorySegment memory, long from, long at, int size) {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, bytes, (int) at, size);
  }

  @Override
  Buffer result() {
    return BufferInternal.buffer(new HeapBuffer(bytes));
  }
}
