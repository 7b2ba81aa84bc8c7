package io.github.vertxrdma.provider.devices.memory;

import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A one-sided operation that a {@link Courier} carries. It is executed on arrival without the target's threads, as by a network adapter.
 * Read data are stored when the answer arrives, or at once if the access ends during its post.
 */
final class RemoteAccess implements Arrival {
  private final Posting posting;
  private final ParcelPath path;
  private final Posted posted;
  private final WorkRequest request;
  private final Deliveries target;
  /** Data of a read or atomic until the answer arrives; null for a write, and for a read that stores its data at once. */
  private final MemorySegment result;
  private boolean stored = true;

  RemoteAccess(Posting posting, ParcelPath path, Posted posted) {
    this.posting = posting;
    this.path = path;
    this.posted = posted;
    request = posted.request();
    target = posting.owner.target();
    result = posted.isRead() && !(path.isDirect() && request.operation() == Operation.READ)
      ? MemorySegment.ofArray(new byte[(int) request.length()]) : null;
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
    int status = request.length() == 0 || execute() ? Status.OK : Status.REMOTE_ACCESS;
    if (status == Status.OK && request.operation() == Operation.WRITE_IMMEDIATE) {
      notify(new Message(posting, posted));
    } else {
      answer(status);
    }
    return true;
  }

  private void notify(Message notice) {
    if (path.isDirect()) {
      // Keeps the order with delayed messages.
      path.carry(Courier.Cargo.MESSAGE, null, notice);
    } else if (!notice.arriveAtOnce()) {
      notice.bounce();
    }
  }

  /** Executes the operation. @return false if the peer's memory may not be accessed, and nothing was touched */
  private boolean execute() {
    InMemoryRemote remote = (InMemoryRemote) request.remote();
    InMemoryRegion region = remote.region();
    long offset = remote.base() + request.remoteOffset();
    if (region == null || target == null || !region.usable(target.regions(), offset, request.length(), false)
      || SoftwareRegion.refusal(region, request.operation().remoteAccess(), offset, request.length()) != null || !region.acquire()) {
      return false;
    }
    try {
      switch (request.operation()) {
        case READ -> read(region, offset);
        case FETCH_ADD, COMPARE_SWAP -> result.set(ValueLayout.JAVA_LONG_UNALIGNED, 0,
          region.atomic(request.operation() == Operation.FETCH_ADD, offset, request.operand(), request.swap()));
        default -> region.set(MemorySegment.ofArray(posted.bytes()), 0, offset, request.length());
      }
      return true;
    } finally {
      region.release();
    }
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
    if (path.isDirect()) {
      answered(status);
    } else {
      path.back().carry(Courier.Cargo.ANSWER, posting.owner.queue(), () -> answered(status));
    }
  }

  private void answered(int status) {
    if (posting.owner.isOpen()) {
      if (result != null && status == Status.OK) {
        stored = store(result, 0);
      }
      posting.answered(posted, stored ? status : Status.LOCAL_PROTECTION,
        request.operation() + " was refused by the peer: no region with that key, range and access");
    }
  }

  private void read(InMemoryRegion region, long offset) {
    // Only methods of the region may access memory that is mapped from a file.
    MemorySegment data = result == null && region.segment().isMapped() ? MemorySegment.ofArray(new byte[(int) request.length()]) : result;
    if (data != null) {
      region.get(offset, data, 0, request.length());
    }
    if (result == null) {
      stored = data == null ? store(region.segment(), offset) : store(data, 0);
    }
  }

  private boolean store(MemorySegment from, long at) {
    if (request.length() == 0) {
      return true;
    }
    if (request.memory() == null) {
      return ((SoftwareRegion) request.region()).put(from, at, request.offset(), request.length());
    }
    MemorySegment.copy(from, at, request.memory(), request.offset(), request.length());
    return true;
  }
}
