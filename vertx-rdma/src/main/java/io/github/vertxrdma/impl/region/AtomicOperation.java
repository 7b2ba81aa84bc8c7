package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import io.github.vertxrdma.impl.wire.RegionFrames;
import io.vertx.core.Promise;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A fetch-and-add or compare-and-exchange, executed by whoever executes them for the region. */
final class AtomicOperation extends RegionOperation<Long> implements RmaHandler {
  private final boolean exchange;
  private final long first;
  private final long second;
  private boolean posted;
  private long old;

  AtomicOperation(Lease lease, boolean exchange, long offset, long first, long second, Promise<Long> promise, long timeoutMillis) {
    super(lease, offset, Long.BYTES, promise, timeoutMillis);
    this.exchange = exchange;
    this.first = first;
    this.second = second;
  }

  @Override
  String verb() {
    return exchange ? "compare-and-exchange" : "fetch-and-add";
  }

  @Override
  boolean changesMemory() {
    return true;
  }

  @Override
  void step() {
    if (posted || over) {
      return;
    }
    if (lease.strategies.atomics() == Strategies.Atomics.OWNER) {
      posted = true;
      lease.peer.link.sendFrame(RegionFrames.ATOMIC, exchange ? RegionFrames.EXCHANGE : RegionFrames.ADD, id, lease.description.handle(),
        RegionFrames.words(offset, first, second));
    } else if (lease.mayTransfer(this)) {
      posted = true;
      lease.transferBegins();
      if (exchange) {
        lease.peer.link.rma().compareSwap(lease.remote(), offset, first, second, this);
      } else {
        lease.peer.link.rma().fetchAdd(lease.remote(), offset, first, this);
      }
    }
  }

  @Override
  public void read(MemorySegment memory, long at) {
    old = memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
  }

  @Override
  public boolean cancelled() {
    return over;
  }

  @Override
  public void done(Throwable failure) {
    if (failure != null) {
      fail(failure);
    } else {
      succeed(old);
    }
  }

  @Override
  public void released() {
    lease.transferReleased();
  }

  @Override
  void confirmed(long value) {
    succeed(value);
  }
}
