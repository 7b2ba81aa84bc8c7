package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** Received or allocated message. Needs only 32 bytes, since each received message creates one. */
final class RdmaMessageImpl implements RdmaMessage {
  private static final String RELEASED = "already released";
  private static final String WRITTEN = "already written";
  private static final String RETURNED = "released when its handler returned";
  private static final AtomicReferenceFieldUpdater<RdmaMessageImpl, String> END = AtomicReferenceFieldUpdater
    .newUpdater(RdmaMessageImpl.class, String.class, "end");

  /** Link that received the message. Null for allocated or retained messages. */
  private Link link;
  private MemorySegment borrowed;
  private ByteBuf memory;
  private BufferInternal body;
  private volatile String end;

  RdmaMessageImpl(ByteBuf memory) {
    this.memory = memory;
  }

  RdmaMessageImpl(Link link, ByteBuf memory) {
    this.link = link;
    this.memory = memory instanceof RegisteredBuffer registered ? registered.growing() : memory;
  }

  RdmaMessageImpl(Link link, MemorySegment borrowed) {
    this.link = link;
    this.borrowed = borrowed;
  }

  @Override
  public MemorySegment segment() {
    check();
    return borrowed != null ? borrowed : MemorySegment.ofBuffer(bytes().nioBuffer()).asReadOnly();
  }

  @Override
  public Buffer body() {
    check();
    own();
    return body == null ? body = BufferInternal.buffer(memory) : body;
  }

  @Override
  public int size() {
    check();
    return borrowed != null ? (int) borrowed.byteSize() : bytes().readableBytes();
  }

  private ByteBuf bytes() {
    return body == null ? memory : body.unwrap();
  }

  @Override
  public boolean isZeroCopy() {
    return borrowed != null ? borrowed.isNative() : memory instanceof RegisteredBuffer;
  }

  boolean isBorrowed() {
    return borrowed != null;
  }

  @Override
  public RdmaMessage retain() {
    check();
    own();
    link = null;
    return this;
  }

  /** Copies a message that is valid only in its handler, to registered memory if possible, otherwise to the heap. */
  private void own() {
    if (borrowed == null) {
      return;
    }
    boolean registers = borrowed.isNative() && link.loop().eventLoop().inEventLoop();
    RegisteredBuffer room = registers ? link.loop().memory.takeIncoming((int) borrowed.byteSize()) : null;
    if (room == null) {
      toHeap();
      return;
    }
    MemorySegment.copy(borrowed, 0, room.region().segment(), room.offset(), borrowed.byteSize());
    memory = room.growing();
    borrowed = null;
  }

  void toHeap() {
    if (borrowed != null) {
      memory = HeapBuffer.copyOf(borrowed);
      borrowed = null;
    }
  }

  @Override
  public void release() {
    end(RELEASED);
    giveBack();
  }

  @Override
  public void close() {
    closed(RELEASED);
  }

  private void closed(String how) {
    if (END.compareAndSet(this, null, how)) {
      giveBack();
    }
  }

  boolean isPending() {
    return link != null && end == null;
  }

  void handled() {
    if (isPending()) {
      closed(RETURNED);
    }
  }

  ByteBuf take() {
    end(WRITTEN);
    own();
    ByteBuf bytes = body == null ? memory : body.getByteBuf();
    ByteBuf root = bytes;
    while (root.unwrap() != null) {
      root = root.unwrap();
    }
    if (root == memory && isZeroCopy()) {
      return memory;
    }
    // The body outgrew the registered memory and is on the heap.
    giveBack();
    return bytes;
  }

  /** Releases registered memory. Heap memory is left to the garbage collector, since a queued write may still read it. */
  private void giveBack() {
    if (memory instanceof RegisteredBuffer) {
      memory.release();
    }
  }

  private void check() {
    String ended = end;
    if (ended != null) {
      throw alreadyEnded(ended);
    }
  }

  private void end(String how) {
    if (!END.compareAndSet(this, null, how)) {
      throw alreadyEnded(end);
    }
  }

  private static IllegalStateException alreadyEnded(String how) {
    return new IllegalStateException("cannot use the message: it was " + how + ". " + (how == RETURNED
      ? "Call retain() in the handler to keep it."
      : "Release or write each message once, and do not read it after that."));
  }
}
