package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.wire.RegionFrames;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

/**
 * A short notified write: its data goes in the notification, and the owner puts it in place before its application is told. It needs
 * neither a key nor a completion, and no order of messages and writes.
 */
final class CarriedWrite extends RegionOperation<Void> {
  private final ByteBuf data;
  private final long tag;
  private boolean queued;

  CarriedWrite(Lease lease, long offset, Buffer data, long tag, Promise<Void> promise, long timeoutMillis) {
    super(lease, offset, data.length(), promise, timeoutMillis);
    this.data = ((BufferInternal) data).getByteBuf();
    this.tag = tag;
  }

  @Override
  String verb() {
    return "notified write";
  }

  @Override
  boolean changesMemory() {
    return true;
  }

  @Override
  void admitted() {
    queued = true;
    lease.queue(this);
  }

  @Override
  void step() {
    if (queued && lease.isNext(this) && lease.mayTransfer(this)) {
      int size = (int) length;
      byte[] payload = RegionFrames.writeNotify(offset, tag, size);
      data.getBytes(data.readerIndex(), payload, RegionFrames.INLINE_HEAD, size);
      lease.peer.carries.send(this, lease.description.handle(), payload);
      dequeue();
    }
  }

  private void dequeue() {
    if (queued) {
      queued = false;
      lease.dequeue(this);
    }
  }

  @Override
  void confirmed(long value) {
    if (!over) {
      lease.peer.link.rma().inlined(length);
      succeed(null);
    }
  }

  @Override
  void ended() {
    dequeue();
  }
}
