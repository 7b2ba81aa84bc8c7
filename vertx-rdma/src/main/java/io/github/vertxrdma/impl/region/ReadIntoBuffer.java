package io.github.vertxrdma.impl.region;

import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;

/** Reads into the application's buffer. */
final class ReadIntoBuffer extends ReadOperation<Void> {
  private final Buffer into;
  private final int at;

  ReadIntoBuffer(Lease lease, long offset, int length, Buffer into, int at, Promise<Void> promise, long timeoutMillis) {
    super(lease, offset, length, false, 0, promise, timeoutMillis);
    this.into = into;
    this.at = at;
  }

  @Override
  void take(MemorySegment memory, long from, long part, int size) {
    into.setBytes(at + (int) part, memory.asSlice(from, size).asByteBuffer());
  }

  @Override
  Void result() {
    return null;
  }
}
