package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.RegionFrames;

/** Frame that a call sends to the region's owner. It never arrives before the data of the call. */
final class OwnerRequest {
  private final byte type;
  private final byte flags;
  private final byte[] payload;
  private final boolean withLastChunk;
  private boolean queued;
  private boolean sent;

  private OwnerRequest(int type, int flags, byte[] payload, boolean withLastChunk) {
    this.type = (byte) type;
    this.flags = (byte) flags;
    this.payload = payload;
    this.withLastChunk = withLastChunk;
  }

  static OwnerRequest notify(long offset, long length, long tag, boolean withLastChunk) {
    return new OwnerRequest(RegionFrames.NOTIFY, 0, RegionFrames.words(offset, length, tag), withLastChunk);
  }

  static OwnerRequest readDone(long offset, long length, long tag) {
    return new OwnerRequest(RegionFrames.READ_DONE, 0, RegionFrames.words(offset, length, tag), false);
  }

  /** Creates a frame whose reply means that earlier data arrived. */
  static OwnerRequest flush(boolean withLastChunk) {
    return new OwnerRequest(RegionFrames.FLUSH, 0, null, withLastChunk);
  }

  static OwnerRequest atomic(boolean exchange, long offset, long first, long second) {
    return new OwnerRequest(RegionFrames.ATOMIC, exchange ? RegionFrames.EXCHANGE : RegionFrames.ADD,
      RegionFrames.words(offset, first, second), false);
  }

  static OwnerRequest inline(byte[] payload) {
    return new OwnerRequest(RegionFrames.WRITE_NOTIFY, 0, payload, false);
  }

  /** Queues a notification, to keep the order of calls. */
  void queue(RegionCall<?> call) {
    if (type == RegionFrames.NOTIFY || type == RegionFrames.WRITE_NOTIFY) {
      queued = true;
      call.lease.queue(call);
    }
  }

  void dequeue(RegionCall<?> call) {
    if (queued) {
      queued = false;
      call.lease.dequeue(call);
    }
  }

  boolean isNext(RegionCall<?> call) {
    return !queued || call.lease.isNext(call);
  }

  boolean isWithLastChunk() {
    return withLastChunk;
  }

  /** Returns whether a reply with this status is expected. Successful inline writes get none, see {@link InlineWrites}. */
  boolean awaits(int status) {
    return sent && (type != RegionFrames.WRITE_NOTIFY || status != RegionFrames.OK);
  }

  void send(RegionCall<?> call) {
    if (sent || !isNext(call)) {
      return;
    }
    sent = true;
    if (type == RegionFrames.WRITE_NOTIFY) {
      call.lease.peer.inlineWrites().send(call, handle(call), payload);
    } else {
      call.lease.peer.link.sendFrame(type, flags, call.id, handle(call), payload);
    }
    dequeue(call);
  }

  void sendWithChunk(RegionCall<?> call, long at, int size) {
    sent = true;
    call.lease.peer.link.rma().writeAnd(call.lease.remote(), call.offset + at, size, type, call.id, handle(call), payload, call);
    dequeue(call);
  }

  private long handle(RegionCall<?> call) {
    return type == RegionFrames.FLUSH ? 0 : call.lease.description.handle();
  }
}
