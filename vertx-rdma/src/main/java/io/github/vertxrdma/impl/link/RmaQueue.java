package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.InFlight;
import io.github.vertxrdma.impl.device.RmaRequest;
import io.github.vertxrdma.impl.device.StagingSlot;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;

/**
 * Remote memory operations of a link, see fi_rma(3). Operations wait in order while the endpoint's maximum number of reads is in flight.
 */
public final class RmaQueue implements RmaRequest.Owner {
  /** Number of operations of which one is timed, since two clock calls cost as much as a short post. */
  private static final int TIMED = 16;
  private static final long NOT_TIMED = Long.MIN_VALUE;
  private static final long CLOSE_RETRY_MILLIS = 10;

  private final FrameStream stream;
  private final DeviceLoop loop;
  private final Endpoint endpoint;
  private final int maxReads;
  private final ArrayDeque<RmaRequest> waiting = new ArrayDeque<>(1);
  private final InFlight inFlight = new InFlight();
  private int reads;
  private int staged;
  private long posted;
  private long completed;

  RmaQueue(FrameStream stream) {
    this.stream = stream;
    this.loop = stream.loop;
    this.endpoint = stream.endpoint();
    this.maxReads = Math.max(1, endpoint.readsInFlight());
  }

  public int pending() {
    return inFlight.size() + waiting.size();
  }

  public long completed() {
    return completed;
  }

  /** Returns a request to fill and submit. A request without a region uses staging memory. */
  public RmaRequest request(RmaHandler handler) {
    RmaRequest request = loop.takeRmaRequest();
    request.owner = this;
    request.waiter = handler;
    return request;
  }

  private static RmaHandler handler(RmaRequest request) {
    return (RmaHandler) request.waiter;
  }

  /** Returns whether a read can be posted. Otherwise the caller retries in the link's {@code turnEnd}. */
  boolean mayRead() {
    boolean may = waiting.isEmpty() && reads < maxReads;
    if (!may) {
      loop.turn.waiting(stream);
    }
    return may;
  }

  /** Posts a request if possible. Otherwise drops it and returns false; the caller retries in the link's {@code turnEnd}. */
  boolean trySubmit(RmaRequest request) {
    if (waiting.isEmpty() && start(request)) {
      return true;
    }
    recycle(request);
    loop.turn.waiting(stream);
    return false;
  }

  public void submit(RmaRequest request) {
    if (!stream.state().isOpen()) {
      finish(request, stream.closeCause());
    } else if (!waiting.isEmpty() || !start(request)) {
      waiting.add(request);
      loop.turn.waiting(stream);
    }
  }

  /** Submits a write, and then a frame that must arrive after it. Requires a fabric that orders sends after writes. */
  public void submitWith(RmaRequest request, int frame, long a, long b, byte[] payload) {
    request.work.flags(PostFlags.MORE);
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

  public void countInlineWrite(long bytes) {
    stream.counters.transferred(Operation.WRITE, bytes);
  }

  public void flush() {
    RmaRequest request;
    // Removes the request first: its failure may close the link, which fails the waiting operations.
    while (stream.state().isOpen() && (request = waiting.poll()) != null) {
      if (!start(request)) {
        waiting.addFirst(request);
        loop.turn.waiting(stream);
        return;
      }
    }
  }

  /** Removes waiting operations. @param taken called with each removed operation's handler and length */
  public void removeWaiting(Predicate<RmaHandler> which, ObjIntConsumer<RmaHandler> taken) {
    List<RmaRequest> found = new ArrayList<>();
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

  private boolean start(RmaRequest request) {
    return startNow(request) != Status.AGAIN;
  }

  /** @return a {@link Status}; unless it is OK or AGAIN, the request has failed */
  private int startNow(RmaRequest request) {
    if (handler(request).cancelled()) {
      return failed(request, Status.FAILED, new RdmaException(Reason.CLOSED, "the operation was cancelled before it was posted"));
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
        return refusal == null ? Status.AGAIN : failed(request, Status.LIMIT, stream.memoryFailure(refused(work), refusal));
      }
      request.staging = slot;
      staged++;
      work.local(slot.region, slot.offset, work.length());
      if (!read) {
        try {
          handler(request).fill(slot.segment, 0, work.remoteOffset(), (int) work.length());
        } catch (RuntimeException e) {
          // The application may have released its buffer. The connection is intact.
          return failed(request, Status.FAILED, new RdmaException(Reason.OTHER, "cannot copy the data from the buffer: " + e, e));
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
      return failed(request, status, stream.failure(status, refused(work), null));
    }
    return status;
  }

  /** Reads from mapped memory without staging. @return {@link Status#AGAIN} if staging is needed */
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
    request.postedNanos = posted++ % TIMED == 0 ? loop.host.nanoTime() : NOT_TIMED;
    return endpoint.post(work.id(request.id()).flags(work.flags() | PostFlags.SIGNALED));
  }

  private static String refused(WorkRequest work) {
    return work.operation() + " was refused";
  }

  private int failed(RmaRequest request, int status, RdmaException cause) {
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
    if (status == Status.OK && !request.notified) {
      if (read && work.memory() == null) {
        handler(request).read(work.region().segment(), work.offset(), work.remoteOffset(), (int) work.length());
      }
      stream.counters.transferred(work.operation(), work.length());
      if (request.postedNanos != NOT_TIMED) {
        loop.oneSided.record(loop.host.nanoTime() - request.postedNanos);
      }
      finish(request, null);
    } else {
      // If the error breaks the connection (RC), the provider disconnects the endpoint.
      finish(request, stream.isClosed() ? stream.closeCause() : stream.failure(status, work.operation() + " failed", error));
    }
  }

  private void finish(RmaRequest request, Throwable failure) {
    RmaHandler handler = handler(request);
    boolean notified = request.notified;
    recycle(request);
    try {
      if (!notified) {
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

  /** Closes remote memory. Called on the loop. Retries while another thread uses its mapping in a system call. */
  public static void closeMemory(RemoteMemory memory, Scheduler loop) {
    try {
      memory.close();
    } catch (IllegalStateException busy) {
      loop.schedule(() -> closeMemory(memory, loop), CLOSE_RETRY_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  public void fail() {
    RmaRequest request;
    while ((request = waiting.poll()) != null) {
      finish(request, stream.closeCause());
    }
    inFlight.forEach(posted -> {
      RmaRequest each = (RmaRequest) posted;
      each.notified = true;
      handler(each).done(stream.closeCause());
    });
  }

  public void quarantined() {
    inFlight.forEach(posted -> {
      StagingSlot slot = ((RmaRequest) posted).staging;
      if (slot != null) {
        loop.memory.stagingSlots.quarantine(slot);
      }
    });
  }

  public void destroyed() {
    inFlight.drain(request -> finish((RmaRequest) request, stream.closeCause()));
  }
}
