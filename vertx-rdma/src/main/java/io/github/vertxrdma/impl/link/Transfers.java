package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.memory.InFlight;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/**
 * The one-sided operations of a link: keeps reads and atomics within the negotiated depth, stages what is not registered, and holds back
 * what the queue has no room for. Memory of an operation is not used again before its completion, or the endpoint's end. Confined to the
 * loop.
 */
public final class Transfers {

  /** Hears of an operation; on the loop. */
  public interface Done {
    /** A staged write: put the bytes here. */
    default void fill(MemorySegment memory, long at) {
      throw new IllegalStateException("nothing to write");
    }

    /** A staged read or an atomic has arrived: take the bytes, valid during the call. */
    default void read(MemorySegment memory, long at) {
    }

    /** It is over. @param failure null if it succeeded */
    void done(Throwable failure);

    /** The fabric touches no memory of it any more: directly after {@link #done}, or later if the link ended before its completion came. */
    default void released() {
    }

    /** Whether nobody waits for it any more: it is then not posted if it has not been. */
    default boolean cancelled() {
      return false;
    }
  }

  private final Link link;
  private final DeviceLoop loop;
  private final LoopMemory memory;
  private final Endpoint endpoint;
  private final int maxReads;
  private final ArrayDeque<Transfer> waiting = new ArrayDeque<>(0);
  private final InFlight inFlight = new InFlight();
  private int reads;

  Transfers(Link link, DeviceLoop loop, Endpoint endpoint) {
    this.link = link;
    this.loop = loop;
    this.memory = loop.memory;
    this.endpoint = endpoint;
    this.maxReads = Math.max(1, endpoint.readsInFlight());
  }

  /** Bytes that one staged operation can move. */
  public int stagingSize() {
    return memory.stagingSlots.slotSize();
  }

  /** Operations posted or waiting. */
  int pending() {
    return inFlight.size() + waiting.size();
  }

  /** Reads, if that can start now. @param region registered memory to read into, null for staging memory @param offset in the region */
  boolean tryRead(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, int length, Done done) {
    if (!waiting.isEmpty() || reads >= maxReads) {
      return false;
    }
    Transfer t = transfer(done);
    t.request.read(region, offset, length, remote, remoteOffset);
    if (start(t)) {
      return true;
    }
    recycle(t);
    return false;
  }

  /** Reads at most {@link #stagingSize()} bytes through staging memory. */
  public void read(RemoteMemory remote, long remoteOffset, int length, Done done) {
    read(remote, remoteOffset, null, 0, length, done);
  }

  /** Reads into registered memory. */
  public void read(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, long length, Done done) {
    Transfer t = transfer(done);
    t.request.read(region, offset, length, remote, remoteOffset);
    submit(t);
  }

  /** Writes at most {@link #stagingSize()} bytes through staging memory. @param delivered completes only when delivered */
  public void write(RemoteMemory remote, long remoteOffset, int length, boolean delivered, Done done) {
    write(remote, remoteOffset, null, 0, length, delivered, done);
  }

  /** Writes from registered memory. */
  public void write(RemoteMemory remote, long remoteOffset, MemoryRegion region, long offset, long length, boolean delivered, Done done) {
    Transfer t = transfer(done);
    t.request.write(region, offset, length, remote, remoteOffset).flags(delivered ? PostFlags.DELIVERY_COMPLETE : 0);
    submit(t);
  }

  /**
   * Writes, and sends a frame that must not arrive before the data, both in one post list. Only where a send after a write is ordered.
   */
  public void writeAnd(RemoteMemory remote, long remoteOffset, int length, int frame, long a, long b, byte[] payload, Done done) {
    Transfer t = transfer(done);
    t.request.write(null, 0, length, remote, remoteOffset).flags(PostFlags.MORE);
    link.sender.control(frame, 0, a, b, payload, new LinkSender.RemoteWriteFirst() {
      @Override
      public int post() {
        if (done.cancelled()) {
          finish(t, cancelled());
          return Status.FAILED;
        }
        int status = startNow(t);
        if (status != Status.OK && status != Status.AGAIN) {
          finish(t, link.failure(status, "a write was refused", null));
        }
        return status;
      }

      @Override
      public void fail(Throwable cause) {
        finish(t, cause);
      }
    });
  }

  /** A write that went in a frame has ended well: it counts like any other. */
  public void carried(long bytes) {
    link.counters.transferred(Operation.WRITE, bytes);
  }

  /** Atomic on the peer's device; {@link Done#read} gets the old value. */
  public void fetchAdd(RemoteMemory remote, long remoteOffset, long add, Done done) {
    Transfer t = transfer(done);
    t.request.fetchAdd(null, 0, remote, remoteOffset, add);
    submit(t);
  }

  /** Atomic on the peer's device; {@link Done#read} gets the old value. */
  public void compareSwap(RemoteMemory remote, long remoteOffset, long expected, long swap, Done done) {
    Transfer t = transfer(done);
    t.request.compareSwap(null, 0, remote, remoteOffset, expected, swap);
    submit(t);
  }

  private Transfer transfer(Done done) {
    Transfer t = loop.transfer();
    t.transfers = this;
    t.done = done;
    return t;
  }

  private void submit(Transfer t) {
    if (!link.canTransfer()) {
      finish(t, link.overCause());
    } else if (!waiting.isEmpty() || !start(t)) {
      waiting.add(t);
      loop.waiting(link);
    }
  }

  /** Starts what waits. */
  void flush() {
    Transfer t;
    while (link.canTransfer() && (t = waiting.peek()) != null) {
      if (!start(t)) {
        loop.waiting(link);
        return;
      }
      waiting.remove(t);
    }
  }

  /** @return false if it must wait */
  private boolean start(Transfer t) {
    if (t.done.cancelled()) {
      finish(t, cancelled());
      return true;
    }
    int status = startNow(t);
    if (status == Status.AGAIN) {
      return false;
    }
    if (status != Status.OK) {
      finish(t, link.failure(status, t.request.operation() + " was refused", null));
    }
    return true;
  }

  private int startNow(Transfer t) {
    WorkRequest request = t.request;
    boolean read = request.operation().isRead();
    if (read && reads >= maxReads) {
      return Status.AGAIN;
    }
    if (request.region() == null) {
      StagingSlot slot = memory.takeStaging();
      if (slot == null) {
        loop.waiting(link);
        return Status.AGAIN;
      }
      t.staging = slot;
      request.local(slot.region, slot.offset, request.length());
      if (!read) {
        t.done.fill(slot.segment, 0);
      }
    }
    t.postedNanos = System.nanoTime();
    int status = endpoint.post(request.id(t.id()).flags(request.flags() | PostFlags.SIGNALED));
    if (status == Status.OK) {
      inFlight.add(t);
      if (read) {
        reads++;
      }
      link.posted();
    } else if (status == Status.AGAIN) {
      loop.again(link);
    }
    return status;
  }

  void completed(Transfer t, int status, String error) {
    inFlight.remove(t);
    Operation operation = t.request.operation();
    if (operation.isRead()) {
      reads--;
    }
    if (status == Status.OK && !t.told) {
      if (operation.isRead()) {
        t.done.read(t.request.region().segment(), t.request.offset());
      }
      link.counters.transferred(operation, t.request.length());
      loop.oneSided.record(System.nanoTime() - t.postedNanos);
      finish(t, null);
    } else {
      // What an error means for the connection is the provider's to say: on RC it breaks, on RDM it may go on.
      finish(t, link.isOver() ? link.overCause() : link.failure(status, operation + " failed", error));
    }
    loop.dirty(link);
  }

  private static RdmaException cancelled() {
    return new RdmaException(Reason.CLOSED, "given up before it was posted");
  }

  private void finish(Transfer t, Throwable failure) {
    Done done = t.done;
    boolean told = t.told;
    recycle(t);
    if (!told) {
      done.done(failure);
    }
    done.released();
  }

  private void recycle(Transfer t) {
    if (t.staging != null) {
      memory.stagingSlots.release(t.staging);
    }
    t.clear();
    loop.recycle(t);
  }

  /** The link is over: fails everything; the memory of what is in flight waits for {@link #destroyed} or its completion. */
  void fail(Throwable cause) {
    Transfer t;
    while ((t = waiting.poll()) != null) {
      finish(t, cause);
    }
    inFlight.forEach(request -> {
      Transfer posted = (Transfer) request;
      posted.told = true;
      posted.done.done(cause);
    });
  }

  /** The fabric still owns what is in flight, maybe for long: others get slots in place of these. */
  void quarantined() {
    inFlight.forEach(request -> {
      StagingSlot slot = ((Transfer) request).staging;
      if (slot != null) {
        memory.stagingSlots.quarantine(slot);
      }
    });
  }

  /** The endpoint was destroyed and nothing of it is outstanding. */
  void destroyed() {
    inFlight.drain(request -> {
      Transfer t = (Transfer) request;
      finish(t, link.overCause());
    });
  }
}
