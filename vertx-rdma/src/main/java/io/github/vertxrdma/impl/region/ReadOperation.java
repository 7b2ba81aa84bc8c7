package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;

/** A read into memory that the fabric does not know; the parts go through staging memory. */
abstract class ReadOperation<T> extends ChunkedOperation<T> {
  private final long tag;
  private final boolean notifies;
  private boolean told;

  /** @param notifies whether the owner is told, with the tag */
  ReadOperation(Lease lease, long offset, long length, boolean notifies, long tag, Promise<T> promise, long timeoutMillis) {
    super(lease, offset, length, lease.peer.link.rma().stagingSize(), promise, timeoutMillis);
    this.notifies = notifies;
    this.tag = tag;
  }

  @Override
  String verb() {
    return "read";
  }

  @Override
  void post(RmaHandler done, long at, int size, boolean last) {
    lease.peer.link.rma().read(lease.remote(), offset + at, size, done);
  }

  @Override
  abstract void take(MemorySegment memory, long from, long at, int size);

  @Override
  void moved() {
    if (!notifies) {
      succeed(result());
    } else if (!told) {
      told = true;
      lease.peer.link.sendFrame(RegionFrames.READ_DONE, 0, id, lease.description.handle(), RegionFrames.words(offset, length, tag));
    }
  }

  @Override
  void confirmed(long value) {
    succeed(result());
  }

  /** What was read. */
  abstract T result();
}
