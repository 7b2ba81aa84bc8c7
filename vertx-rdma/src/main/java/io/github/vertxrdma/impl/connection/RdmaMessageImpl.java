package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaMessage;
import io.github.vertxrdma.impl.memory.GrowingSlice;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;
import java.util.concurrent.atomic.AtomicReference;

/** A message and its memory, until that is released or taken over. */
final class RdmaMessageImpl implements RdmaMessage {
  private static final String RELEASED = "released";
  private static final String WRITTEN = "written";

  private final ByteBuf memory;
  private final BufferInternal body;
  /** Its end; null as long as it is its holder's. */
  private final AtomicReference<String> end = new AtomicReference<>();

  private RdmaMessageImpl(ByteBuf memory, ByteBuf body) {
    this.memory = memory;
    this.body = BufferInternal.buffer(body);
  }

  /** A message that its holder fills. */
  static RdmaMessageImpl toFill(ByteBuf memory) {
    return new RdmaMessageImpl(memory, memory);
  }

  /** A message that came. Registered memory cannot grow, what is appended to moves to the heap. */
  static RdmaMessageImpl received(ByteBuf memory) {
    return new RdmaMessageImpl(memory, memory instanceof RegisteredBuffer ? new GrowingSlice(memory, 0, memory.readableBytes()) : memory);
  }

  @Override
  public Buffer body() {
    String over = end.get();
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
    // On the heap from the start, or since it was made longer.
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
    if (!end.compareAndSet(null, how)) {
      throw over(end.get());
    }
  }

  private static IllegalStateException over(String how) {
    return new IllegalStateException("the message was " + how + " before: its memory may be in use for another one. Each message is released"
      + " or written once, and not read after that");
  }
}
