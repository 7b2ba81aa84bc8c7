package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.RegionTable;
import java.lang.foreign.MemorySegment;

/**
 * A one-sided operation that a courier carries: executed where it arrives, without the target's processor. What it reads goes into this
 * side's memory when the answer is back.
 */
final class Access implements Arrival {
  private final Posting posting;
  private final Way way;
  private final Work work;
  private final int generation;
  private final WorkRequest request;
  private final InMemoryRemote remote;
  private final RegionTable<InMemoryRegion> target;
  /** Bytes to write; null for a read. */
  private final Source source;
  private byte[] result;

  Access(Posting posting, Way way, Work work, WorkRequest posted, InMemoryRemote remote,
    RegionTable<InMemoryRegion> target) {
    this.posting = posting;
    this.way = way;
    this.work = work;
    this.generation = work.generation;
    this.request = Source.copy(posted);
    this.remote = remote;
    this.target = target;
    this.source = posted.operation().isRead() ? null : posting.source(posted);
  }

  @Override
  public boolean load() {
    return source == null || posting.load(source);
  }

  @Override
  public void arrive() {
    arriveAtOnce();
  }

  @Override
  public boolean arriveAtOnce() {
    byte[] local = source == null ? new byte[(int) request.length()] : source.bytes();
    int status = OneSided.access(target, remote, request, local);
    if (source == null) {
      result = local;
    }
    if (status == Status.OK && request.operation() == Operation.WRITE_IMMEDIATE) {
      posting.announce(work, request.immediate());
    } else {
      answer(status);
    }
    return true;
  }

  @Override
  public void bounce() {
    answer(Status.RETRY_EXCEEDED);
  }

  @Override
  public void fail(int status) {
    answer(status);
  }

  private void answer(int status) {
    way.back().carry(Courier.Cargo.ANSWER, posting.outlet.queue(), () -> posting.answered(this, status));
  }

  /** The work that it completes; null if that was completed before. */
  Work work() {
    return work.isUse(generation) ? work : null;
  }

  Operation operation() {
    return request.operation();
  }

  /** Puts what was read where it was wanted. @return false if that memory is not registered any more */
  boolean store() {
    if (result == null || result.length == 0) {
      return true;
    }
    InMemoryRegion region = (InMemoryRegion) request.region();
    MemorySegment to = region.acquire(request.offset(), request.length());
    if (to == null) {
      return false;
    }
    MemorySegment.copy(MemorySegment.ofArray(result), 0, to, 0, result.length);
    region.release();
    return true;
  }
}
