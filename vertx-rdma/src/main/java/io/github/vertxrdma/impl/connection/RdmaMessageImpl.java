package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;

/** A message and its memory, until that is released or taken over. */
final class RdmaMessageImpl implements RdmaMessage {
  private static final String RELEASED = "released";
  private static final String WRITTEN = "written";
  private static final AtomicReferenceFieldUpdater<RdmaMessageImpl, String> END = AtomicReferenceFieldUpdater
    .newUpdater(RdmaMessageImpl.class, String.class, "end");

  private final ByteBuf memory;
  private final BufferInternal body;
  /** Its end; null as long as it is its holder's. Updated in place, for want of an object more for each message. */
  private volatile String end;

  /** A message that its holder fills. */
  RdmaMessageImpl(ByteBuf memory) {
    this.memory = memory;
    body = BufferInternal.buffer(memory);
  }

  /** A message that came, which its reader may append to. */
  static RdmaMessageImpl received(ByteBuf memory) {
    return new RdmaMessageImpl(memory instanceof RegisteredBuffer registered ? registered.growing() : memory);
  }

  @Override
  public Buffer body() {
    String over = end;
    if (over != null) {
      throw over(over);
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

  /** It is written. @return what to send; to be released then */
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
    // On the heap from the start, or since a method of Buffer that is no append made it longer.
    giveBack();
    return bytes;
  }

  /** Memory of the heap is the collector's: its body may have been written as a buffer, and wait to be sent. */
  private void giveBack() {
    if (isZeroCopy()) {
      memory.release();
    }
  }

  private void end(String how) {
    if (!END.compareAndSet(this, null, how)) {
      throw over(end);
    }
  }

  private static IllegalStateException over(String how) {
    return new IllegalStateException(
      "the message was " + how + " before: its memory may be in use for another one. Each message is released"
        + " or written once, and not read after that");
  }
}
