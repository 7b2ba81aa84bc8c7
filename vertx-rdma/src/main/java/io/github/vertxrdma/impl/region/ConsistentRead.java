package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.provider.WorkRequest;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/** Reads a {@link PublishedRecord}, null if there is none, and repeats a torn read until the call times out. */
final class ConsistentRead implements LocalMemory<Buffer> {
  /** Number of attempts without a pause. */
  private static final int IMMEDIATE_ATTEMPTS = 16;

  private final byte[] bytes;
  private int attempts;
  private int tooLarge;
  private boolean waiting;
  private int data;

  ConsistentRead(int length) {
    bytes = new byte[length];
  }

  @Override
  public String errorSuffix() {
    return attempts == 0 ? "" : ", torn " + attempts + " times,";
  }

  @Override
  public boolean readsInto(WorkRequest work, long at) {
    work.into(MemorySegment.ofArray(bytes), at);
    return true;
  }

  @Override
  public void copy(MemorySegment staging, long stagingAt, long at, int size) {
    MemorySegment.copy(staging, ValueLayout.JAVA_BYTE, stagingAt, bytes, (int) at, size);
  }

  @Override
  public void transferred(RegionCall<Buffer> call) {
    if (waiting) {
      return;
    }
    int found = PublishedRecord.check(bytes);
    if (found >= 0 || found == PublishedRecord.EMPTY) {
      data = found;
      call.confirm();
    } else if (found == PublishedRecord.TOO_LARGE && ++tooLarge > IMMEDIATE_ATTEMPTS) {
      // A torn length may look too large, but not repeatedly.
      call.fail(
        new RdmaException(Reason.TOO_LARGE, "the record has more than " + (bytes.length - PublishedRecord.HEADER) + " bytes of data"));
    } else if (++attempts < IMMEDIATE_ATTEMPTS) {
      call.restart();
    } else {
      waiting = true;
      call.lease.peer.host().schedule(() -> {
        waiting = false;
        call.restart();
      }, 1, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public Buffer result(long replied) {
    return data == PublishedRecord.EMPTY ? null : BufferInternal.buffer(new HeapBuffer(bytes).slice(PublishedRecord.HEADER, data));
  }
}
