package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

final class RdmaMessageImpl implements RdmaMessage {
  private static final String RELEASED = "released";
  private static final String WRITTEN = "written";
  private static final AtomicReferenceFieldUpdater<RdmaMessageImpl, String> END = AtomicReferenceFieldUpdater
    .newUpdater(RdmaMessageImpl.class, String.class, "end");

  private final ByteBuf memory;
  private final BufferInternal body;
  /** End by the holder, or null. Updated in place to save an object per message. */
  private volatile String end;

  RdmaMessageImpl(ByteBuf memory) {
    this.memory = memory;
    body = BufferInternal.buffer(memory);
  }

  /** Received message, which its reader may append to. */
  static RdmaMessageImpl received(ByteBuf memory) {
    return new RdmaMessageImpl(memory instanceof RegisteredBuffer registered ? registered.growing() : memory);
  }

  @Override
  public Buffer body() {
    String ended = end;
    if (ended != null) {
      throw alreadyEnded(ended);
    }
    return body;
  }

  @Override
  public int size() {
    return body().length();
  }

  @Override
  public boolean isZeroCopy() {
    return memory instanceof RegisteredBuffer;
  }

  @Override
  public void release() {
    end(RELEASED);
    giveBack();
  }

  @Override
  public void close() {
    if (END.compareAndSet(this, null, RELEASED)) {
      giveBack();
    }
  }

  /** Marks the message as written. @return bytes to send and release */
  ByteBuf take() {
    end(WRITTEN);
    ByteBuf bytes = body.getByteBuf();
    ByteBuf root = bytes;
    while (root.unwrap() != null) {
      root = root.unwrap();
    }
    if (root == memory && isZeroCopy()) {
      return memory;
    }
    // On the heap from the start, or since the holder replaced its memory by a longer one.
    giveBack();
    return bytes;
  }

  /** Heap memory may still be queued, and is left to the collector. */
  private void giveBack() {
    if (isZeroCopy()) {
      memory.release();
    }
  }

  private void end(String how) {
    if (!END.compareAndSet(this, null, how)) {
      throw alreadyEnded(end);
    }
  }

  private static IllegalStateException alreadyEnded(String how) {
    return new IllegalStateException(
      "the message was " + how + " before: its memory may be in use for another one. Each message is released"
        + " or written once, and not read after that");
  }
}
