package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** Reads a {@link PublishedRecord}, again while it is torn; its time bounds the attempts. */
final class ConsistentRead extends ReadOperation<Buffer> {
  /** Attempts at once before it waits a little between them. */
  private static final int QUICK = 16;

  private final byte[] bytes;
  private int attempts;
  private int tooLarge;
  private boolean waiting;
  private int data;

  ConsistentRead(Lease lease, long offset, int length, Promise<Buffer> promise, long timeoutMillis) {
    super(lease, offset, length, false, 0, promise, timeoutMillis);
    bytes = new byte[length];
  }

  @Override
  String verb() {
    return "consistent read" + (attempts == 0 ? "" : ", torn " + attempts + " times,");
  }

  @Override
  void take(MemorySegment memory, long from, long at, int size) {
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, from, bytes, (int) at, size);
  }

  @Override
  void moved() {
    if (waiting) {
      return;
    }
    int found = PublishedRecord.check(bytes);
    if (found >= 0) {
      data = found;
      succeed(result());
    } else if (found == PublishedRecord.EMPTY) {
      fail(new RdmaException(Reason.NOT_FOUND, "nothing was published there"));
    } else if (found == PublishedRecord.TOO_LARGE && ++tooLarge > QUICK) {
      // A torn length can look too large, but not for ever.
      fail(new RdmaException(Reason.TOO_LARGE, "the record has more than " + (bytes.length - PublishedRecord.HEADER) + " bytes of data"));
    } else if (++attempts < QUICK) {
      restart();
    } else {
      waiting = true;
      lease.peer.link.loop().host.schedule(() -> {
        waiting = false;
        if (!over) {
          restart();
        }
      }, 1, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  Buffer result() {
    return BufferInternal.buffer(new HeapBuffer(bytes).slice(PublishedRecord.HEADER, data));
  }
}
