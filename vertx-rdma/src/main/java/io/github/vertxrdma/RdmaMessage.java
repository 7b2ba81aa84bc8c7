package io.github.vertxrdma;

import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.buffer.Buffer;

/**
 * A message in memory that has to be given back: a received one, of {@link RdmaConnection#zeroCopyHandler}, or one to be sent, of
 * {@link RdmaConnection#allocate}. Whoever has it {@link #release releases} or {@link RdmaConnection#write(RdmaMessage) writes} it once, on
 * any thread, and touches it no more. Each is an object of its own, and its body too: neither ever stands for a later message, though
 * memory is used again. One that is never released does no harm to its connection, but its memory is missing until the node closes, and so
 * later messages may go through the heap.
 */
@VertxGen
public interface RdmaMessage extends AutoCloseable {

  /**
   * What it says. The buffer, and all slices of it, are good until the message is released or written; of a zero-copy one they cannot be
   * read after that. Copy what is to be kept.
   *
   * @throws IllegalStateException if the message was released or written
   */
  Buffer body();

  /** Bytes of the body. @throws IllegalStateException if the message was released or written */
  int size();

  /**
   * Whether it lies in registered memory, which the fabric uses directly. Otherwise it lies on the heap: it is short, or there was no room.
   */
  boolean isZeroCopy();

  /** Gives the memory back. @throws IllegalStateException if the message was released or written before */
  void release();

  /** Releases the message unless it was released or written: {@code try (RdmaMessage message = …)} on a virtual thread. */
  @Override
  void close();
}
