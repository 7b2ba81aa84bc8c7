package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import java.lang.foreign.MemorySegment;

/** A one-sided operation that a {@link Courier} carries. It is executed on arrival. Read data are stored when the answer arrives. */
final class RemoteAccess implements Arrival {
  private final Posting posting;
  private final ParcelPath path;
  private final Posted posted;
  private final Deliveries target;
  private byte[] result;

  RemoteAccess(Posting posting, ParcelPath path, Posted posted) {
    this.posting = posting;
    this.path = path;
    this.posted = posted;
    target = posting.owner.target();
  }

  @Override
  public boolean load() {
    return posted.load();
  }

  @Override
  public void arrive() {
    arriveAtOnce();
  }

  @Override
  public boolean arriveAtOnce() {
    byte[] local = posted.bytes();
    if (local == null) {
      result = new byte[(int) posted.length];
      local = result;
    }
    int status = OneSided.access(target, posted.request, local);
    if (status == Status.OK && posted.operation == Operation.WRITE_IMMEDIATE) {
      Message notice = new Message(posting, posted);
      if (!notice.arriveAtOnce()) {
        notice.bounce();
      }
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
    path.back().carry(Courier.Cargo.ANSWER, posting.owner.queue(), () -> answered(status));
  }

  private void answered(int status) {
    if (posting.owner.isOpen()) {
      posting.accessed(posted, status == Status.OK && !store() ? Status.LOCAL_PROTECTION : status, 0);
    }
  }

  private boolean store() {
    if (result == null || result.length == 0) {
      return true;
    }
    InMemoryRegion region = (InMemoryRegion) posted.request.region();
    MemorySegment to = region.acquire(posted.request.offset(), result.length);
    if (to == null) {
      return false;
    }
    MemorySegment.copy(MemorySegment.ofArray(result), 0, to, 0, result.length);
    region.release();
    return true;
  }
}
