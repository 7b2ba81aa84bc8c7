package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.netty.util.IllegalReferenceCountException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A message in registered memory that waits for its reader. Should the connection end before, it moves to the heap: the reader may never
 * come. Once taken it may serve another message.
 */
final class Arrived {
  private final AtomicReference<ByteBuf> message = new AtomicReference<>();

  /** A message takes the place of none, or of one that is taken. On the link's loop, as all but {@link #take}. */
  void put(RegisteredBuffer memory) {
    message.set(memory);
  }

  boolean isTaken() {
    return message.get() == null;
  }

  /** For the reader, once. */
  ByteBuf take() {
    return message.getAndSet(null);
  }

  /** Gives the memory back unless the reader takes it meanwhile. Once. */
  void toHeap() {
    ByteBuf zeroCopy = message.get();
    if (zeroCopy == null) {
      return;
    }
    try {
      zeroCopy.retain();
    } catch (IllegalReferenceCountException e) {
      // Taken, and released already.
      return;
    }
    ByteBuf copy = HeapBuffer.copyOf(zeroCopy);
    zeroCopy.release();
    if (message.compareAndSet(zeroCopy, copy)) {
      zeroCopy.release();
    }
  }
}
