package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.rma.RmaHandler;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A write from memory that the fabric does not know; the parts go through staging memory. A frame may follow the data: one that notifies
 * the owner, or one whose answer proves that the data arrived. Where the fabric keeps messages behind writes it is posted together with
 * the last part, which then waits for the others; elsewhere it is sent when all parts are delivered.
 */
final class WriteOperation extends ChunkedOperation<Void> {
  private final ByteBuf data;
  private final Tail tail;

  WriteOperation(Lease lease, long offset, Buffer data, boolean notifies, long tag, Promise<Void> promise, long timeoutMillis) {
    super(lease, offset, data.length(), lease.peer.link.rma().stagingSize(), promise, timeoutMillis);
    this.data = ((BufferInternal) data).getByteBuf();
    this.tail = new Tail(this, notifies, tag);
  }

  @Override
  String verb() {
    return tail.notifies ? "notified write" : "write";
  }

  @Override
  boolean changesMemory() {
    return true;
  }

  @Override
  void admitted() {
    tail.queue();
  }

  @Override
  void put(MemorySegment memory, long to, long at, int size) {
    int index = data.readerIndex() + (int) at;
    if (data.hasArray()) {
      MemorySegment.copy(data.array(), data.arrayOffset() + index, memory, ValueLayout.JAVA_BYTE, to, size);
    } else {
      data.getBytes(index, memory.asSlice(to, size).asByteBuffer());
    }
  }

  @Override
  boolean mayPostLast(int others) {
    return !tail.together() || others == 0 && tail.isNext();
  }

  @Override
  void post(RmaHandler done, long at, int size, boolean last) {
    if (last && tail.together()) {
      tail.sendWith(done, at, size);
    } else {
      lease.peer.link.rma().write(lease.remote(), offset + at, size, tail.delivered(), done);
    }
  }

  @Override
  void moved() {
    if (tail.isNeeded()) {
      tail.send();
    } else {
      succeed(null);
    }
  }

  @Override
  void confirmed(long value) {
    succeed(null);
  }

  @Override
  void ended() {
    tail.dequeue();
    super.ended();
  }
}
