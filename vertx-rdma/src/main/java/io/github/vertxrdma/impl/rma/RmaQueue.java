package io.github.vertxrdma.impl.rma;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.RmaRequest;
import io.github.vertxrdma.impl.device.StagingSlot;
import io.github.vertxrdma.impl.framing.FrameStream;
import io.github.vertxrdma.impl.framing.FrameWriter;
import io.github.vertxrdma.impl.memory.InFlight;
import io.github.vertxrdma.impl.memory.LazyQueue;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

/**
 * Remote memory operations of a link (RMA, fi_rma(3)): reads, writes and atomics, through registered memory of their own or through staging
 * slots, at most as many reads as the endpoint negotiated. Those that cannot be posted wait in order. Confined to the loop.
 */
public final class RmaQueue implements RmaRequest.Owner {
  /** Operations of which one is timed: two looks at the clock take as long as the post of a short one. */
  private static final int TIMED = 16;
  private static final long NOT_TIMED = Long.MIN_VALUE;

  private final FrameStream stream;
  private final DeviceLoop loop;
  private final Endpoint endpoint;
  private final int maxReads;
  private final LazyQueue<RmaRequest> waiting = new LazyQueue<>();
  private final InFlight inFlight = new InFlight();
  private int reads;
  /** Staging slots of its requests. */
  private int staged;
  private long completed;

  public RmaQueue(FrameStream stream) {
    this.stream = stream;
    this.loop = stream.loop;
    this.endpoint = stream.endpoint();
    this.maxReads = Math.max(1, endpoint.readsInFlight());
  }

  /** Operations posted or waiting. */
  public int pending() {
    return inFlight.size() + waiting.size();
  }

  /** Operations that were completed. */
  public long completed() {
    return completed;
  }

  /**
   * Reads, if that can start now; else asks for the end of a turn, in which to try again.
   *
   * @param region registered memory to read into, null for staging memory
   * @param offset in the region
   */
  public boolean tryRead(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, int length, RmaHandler handler) {
    if (waiting.isEmpty() && reads < maxReads) {
      RmaRequest request = request(handler);
      request.work.read(region, offset, length, remote, remoteOffset);
      if (start(request)) {
        return true;
      }
      recycle(request);
    }
    loop.turn.waiting(stream);
    return false;
  }

  /** Reads. @param region that it reads into; null for a slot of staging memory, which bounds the length */
  public void read(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, long length, RmaHandler handler) {
    RmaRequest request = request(handler);
    request.work.read(region, offset, length, remote, remoteOffset);
    submit(request);
  }

  /**
   * Writes.
   *
   * @param region that it writes from; null for a slot of staging memory, which bounds the length
   * @param delivered completes only when delivered
   */
  public void write(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, long length, boolean delivered,
    RmaHandler handler) {
    RmaRequest request = request(handler);
    request.work.write(region, offset, length, remote, remoteOffset).flags(delivered ? PostFlags.DELIVERY_COMPLETE : 0);
    submit(request);
  }

  /** Writes, and sends a frame that must not arrive before the data, both in one post list. Only where a send after a write is ordered. */
  public void writeAnd(RemoteMemory remote, long remoteOffset, int length, int frame, long a, long b, byte[] payload, RmaHandler handler) {
    RmaRequest request = request(handler);
    request.work.write(null, 0, length, remote, remoteOffset).flags(PostFlags.MORE);
    if (!stream.state().isOpen()) {
      finish(request, stream.closeCause());
      return;
    }
    stream.out.control(frame, 0, a, b, payload, new FrameWriter.Before() {
      @Override
      public int post() {
        return startNow(request);
      }

      @Override
      public void fail(Throwable cause) {
        finish(request, cause);
      }
    });
  }

  /** Counts a write whose bytes went in a frame, and which ended well. */
  public void inlined(long bytes) {
    stream.counters.transferred(Operation.WRITE, bytes);
  }

  /** Adds on the peer's device; {@link RmaHandler#read} gets the old value. */
  public void fetchAdd(RemoteMemory remote, long remoteOffset, long add, RmaHandler handler) {
    RmaRequest request = request(handler);
    request.work.fetchAdd(null, 0, remote, remoteOffset, add);
    submit(request);
  }

  /** Compares and exchanges on the peer's device; {@link RmaHandler#read} gets the old value. */
  public void compareSwap(RemoteMemory remote, long remoteOffset, long expected, long swap, RmaHandler handler) {
    RmaRequest request = request(handler);
    request.work.compareSwap(null, 0, remote, remoteOffset, expected, swap);
    submit(request);
  }

  private RmaRequest request(RmaHandler handler) {
    RmaRequest request = loop.takeRmaRequest();
    request.owner = this;
    request.waiter = handler;
    return request;
  }

  private static RmaHandler handler(RmaRequest request) {
    return (RmaHandler) request.waiter;
  }

  private void submit(RmaRequest request) {
    if (!stream.state().isOpen()) {
      finish(request, stream.closeCause());
    } else if (!waiting.isEmpty() || !start(request)) {
      waiting.add(request);
      loop.turn.waiting(stream);
    }
  }

  /** Posts operations that wait. */
  public void flush() {
    RmaRequest request;
    // Taken out before it starts: its end may end the link, which ends what waits.
    while (stream.state().isOpen() && (request = waiting.poll()) != null) {
      if (!start(request)) {
        waiting.addFirst(request);
        loop.turn.waiting(stream);
        return;
      }
    }
  }

  /** Takes those back that wait to be posted, wherever in their order. @param which of them @param taken hears of each, with its bytes */
  public void takeBack(Predicate<RmaHandler> which, ObjIntConsumer<RmaHandler> taken) {
    List<RmaRequest> found = new ArrayList<>();
    // One look at each: tens of thousands may wait.
    for (int left = waiting.size(); left > 0; left--) {
      RmaRequest request = waiting.poll();
      if (which.test(handler(request))) {
        found.add(request);
      } else {
        waiting.add(request);
      }
    }
    for (RmaRequest request : found) {
      RmaHandler handler = handler(request);
      int length = (int) request.work.length();
      recycle(request);
      taken.accept(handler, length);
    }
  }

  /** @return false if it must wait */
  private boolean start(RmaRequest request) {
    return startNow(request) != Status.AGAIN;
  }

  /** @return a {@link Status}; the request is over unless it is OK, or AGAIN */
  private int startNow(RmaRequest request) {
    if (handler(request).cancelled()) {
      return over(request, Status.FAILED, new RdmaException(Reason.CLOSED, "given up before it was posted"));
    }
    WorkRequest work = request.work;
    boolean read = work.operation().isRead();
    if (read && reads >= maxReads) {
      return Status.AGAIN;
    }
    int status = work.region() == null && loop.capabilities.maps() ? postMapped(request) : Status.AGAIN;
    if (status == Status.AGAIN && work.region() == null) {
      StagingSlot slot = loop.memory.takeStaging(stream, staged);
      if (slot == null) {
        loop.turn.waiting(stream);
        Throwable refusal = loop.memory.refusal(loop.memory.stagingSlots);
        return refusal == null ? Status.AGAIN : over(request, Status.LIMIT, stream.memoryFailure(refused(work), refusal));
      }
      request.staging = slot;
      staged++;
      work.local(slot.region, slot.offset, work.length());
      if (!read) {
        try {
          handler(request).fill(slot.segment, 0, work.remoteOffset(), (int) work.length());
        } catch (RuntimeException e) {
          // A buffer of the application that was released: no concern of the connection's.
          return over(request, Status.FAILED, new RdmaException(Reason.OTHER, "the buffer does not give its bytes: " + e, e));
        }
      }
    }
    if (status == Status.AGAIN) {
      status = post(request);
    }
    if (status == Status.OK) {
      inFlight.add(request);
      if (read) {
        reads++;
      }
      stream.expectReply();
      stream.posted();
    } else if (status == Status.AGAIN) {
      loop.turn.again(stream);
    } else {
      return over(request, status, stream.failure(status, refused(work), null));
    }
    return status;
  }

  /** Reads straight to where the bytes belong. @return {@link Status#AGAIN} if it has to go through staging memory */
  private int postMapped(RmaRequest request) {
    WorkRequest work = request.work;
    if (work.operation() != Operation.READ || !handler(request).readsInto(work)) {
      return Status.AGAIN;
    }
    int status = post(request);
    if (status == Status.AGAIN) {
      work.local(null, 0, work.length());
    }
    return status;
  }

  private int post(RmaRequest request) {
    WorkRequest work = request.work;
    request.postedNanos = completed % TIMED == 0 ? loop.turn.nanoTime() : NOT_TIMED;
    return endpoint.post(work.id(request.id()).flags(work.flags() | PostFlags.SIGNALED));
  }

  private static String refused(WorkRequest work) {
    return work.operation() + " was refused";
  }

  private int over(RmaRequest request, int status, RdmaException cause) {
    finish(request, cause);
    return status;
  }

  @Override
  public void completed(RmaRequest request, int status, String error) {
    WorkRequest work = request.work;
    inFlight.remove(request);
    completed++;
    boolean read = work.operation().isRead();
    if (read) {
      reads--;
    }
    if (status == Status.OK && !request.told) {
      if (read && work.memory() == null) {
        handler(request).read(work.region().segment(), work.offset(), work.remoteOffset(), (int) work.length());
      }
      stream.counters.transferred(work.operation(), work.length());
      if (request.postedNanos != NOT_TIMED) {
        loop.oneSided.record(loop.turn.nanoTime() - request.postedNanos);
      }
      finish(request, null);
    } else {
      // The provider says what an error means for the connection: on RC it breaks, on RDM it may go on.
      finish(request, stream.isOver() ? stream.closeCause() : stream.failure(status, work.operation() + " failed", error));
    }
  }

  private void finish(RmaRequest request, Throwable failure) {
    RmaHandler handler = handler(request);
    boolean told = request.told;
    recycle(request);
    try {
      if (!told) {
        handler.done(failure);
      }
    } finally {
      handler.released();
    }
  }

  private void recycle(RmaRequest request) {
    if (request.staging != null) {
      loop.memory.stagingSlots.release(request.staging);
      staged--;
    }
    loop.recycle(request);
  }

  // ---- the end

  /** Fails everything: the link is over. The memory of what is in flight waits for {@link #destroyed} or its completion. */
  public void fail() {
    RmaRequest request;
    while ((request = waiting.poll()) != null) {
      finish(request, stream.closeCause());
    }
    inFlight.forEach(posted -> {
      RmaRequest each = (RmaRequest) posted;
      each.told = true;
      handler(each).done(stream.closeCause());
    });
  }

  /** Lets others have slots in place of these: the fabric owns what is in flight, maybe for long. */
  public void quarantined() {
    inFlight.forEach(posted -> {
      StagingSlot slot = ((RmaRequest) posted).staging;
      if (slot != null) {
        loop.memory.stagingSlots.quarantine(slot);
      }
    });
  }

  /** Frees what was in flight: the endpoint was destroyed, and nothing of it is outstanding. */
  public void destroyed() {
    inFlight.drain(request -> finish((RmaRequest) request, stream.closeCause()));
  }
}
