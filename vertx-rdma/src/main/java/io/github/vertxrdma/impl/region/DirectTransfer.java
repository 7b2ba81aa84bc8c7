package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.rma.RmaQueue;
import io.github.vertxrdma.provider.MemoryRegion;
import io.vertx.core.Promise;

/** A read into, or a write from, registered memory of this process; it keeps the memory alive until the fabric is done with it. */
final class DirectTransfer extends ChunkedOperation<Void> {
  /** Parts this large cost nothing, and bound what is under way when the owner takes the region back. */
  private static final int CHUNK = 8 << 20;

  private final boolean write;
  private final MemoryRegion local;
  private final long localOffset;
  private final Tail tail;
  private RegionMemory memory;

  /** @param memory retained for this operation, released by it */
  DirectTransfer(Lease lease, boolean write, long offset, long length, MemoryRegion local, long localOffset, RegionMemory memory,
    Promise<Void> promise, long timeoutMillis) {
    super(lease, offset, length, (int) Math.min(CHUNK, lease.peer.domain().limits().maxTransferSize()), promise, timeoutMillis);
    this.write = write;
    this.local = local;
    this.localOffset = localOffset;
    this.memory = memory;
    this.tail = write ? new Tail(this, false, 0) : null;
  }

  @Override
  String verb() {
    return write ? "write" : "read";
  }

  @Override
  boolean changesMemory() {
    return write;
  }

  @Override
  void post(RmaHandler done, long at, int size, boolean last) {
    RmaQueue rma = lease.peer.link.rma();
    if (write) {
      rma.write(lease.remote(), offset + at, local, localOffset + at, size, tail.delivered(), done);
    } else {
      rma.read(lease.remote(), offset + at, local, localOffset + at, size, done);
    }
  }

  @Override
  void moved() {
    if (write && tail.isNeeded()) {
      tail.send();
    } else {
      succeed(null);
    }
  }

  @Override
  void confirmed(long value) {
    succeed(null);
  }

  @Override
  void released() {
    if (memory != null) {
      memory.release();
      memory = null;
    }
  }
}
