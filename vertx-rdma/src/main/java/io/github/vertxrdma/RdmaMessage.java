package io.github.vertxrdma;

import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.buffer.Buffer;

/**
 * Message whose memory must be returned: received by {@link RdmaConnection#zeroCopyHandler}, or to be sent, from {@link
 * RdmaConnection#allocate}. The holder must call {@link #release} or {@link RdmaConnection#write(RdmaMessage)} exactly once, on any thread.
 * After that {@link #body}, {@link #size} and these two throw {@link IllegalStateException}. The memory of a message that is never
 * released is missing until the node closes, so that later messages may use the heap.
 */
@VertxGen
public interface RdmaMessage extends AutoCloseable {

  /** Returns the body. The buffer and its slices are valid until the message is released or written. */
  Buffer body();

  /** Returns the bytes of the body. */
  int size();

  /**
   * Returns whether the message is in registered memory, which the fabric uses directly. Otherwise it is on the heap, since it is short or
   * no memory was free.
   */
  boolean isZeroCopy();

  /** Returns the memory. */
  void release();

  /** Releases the message unless it was released or written, for {@code try (RdmaMessage message = …)} on a virtual thread. */
  @Override
  void close();
}
