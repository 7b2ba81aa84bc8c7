package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A message in registered memory that waits for its reader. Moves to the heap if the connection closes first, as the reader may never come.
 * Reusable once taken.
 */
final class PendingZeroCopy {
  private final AtomicReference<ByteBuf> message = new AtomicReference<>();

  /** On the link's loop, like everything except {@link #take}. */
  void put(RegisteredBuffer memory) {
    message.set(memory);
  }

  boolean isTaken() {
    return message.get() == null;
  }

  ByteBuf take() {
    return message.getAndSet(null);
  }

  void toHeap() {
    ByteBuf zeroCopy = message.get();
    if (zeroCopy == null) {
      return;
    }
    try {
      zeroCopy.retain();
    } catch (IllegalReferenceCountException e) {
      // The reader has released it.
      return;
    }
    ByteBuf copy = HeapBuffer.copyOf(zeroCopy);
    zeroCopy.release();
    if (message.compareAndSet(zeroCopy, copy)) {
      zeroCopy.release();
    }
  }
}
