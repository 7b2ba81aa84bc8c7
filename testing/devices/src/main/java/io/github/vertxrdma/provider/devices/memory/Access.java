package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.RegionTable;
import java.lang.foreign.MemorySegment;

/**
 * A one-sided operation that a {@link Courier} carries. It is executed when it arrives, without a part of the target's threads. The result
 * of a read is stored in the memory of this side when the answer arrives.
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

  /** Returns the work request to complete, or null if it was completed before. */
  Work work() {
    return work.isUse(generation) ? work : null;
  }

  Operation operation() {
    return request.operation();
  }

  /** Stores the bytes that were read. @return false if the memory for them is no longer registered */
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
