package io.github.vertxrdma;

import io.vertx.codegen.annotations.Fluent;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;

/**
 * Message whose memory must be released. A {@link RdmaConnection#messageHandler} receives such messages; {@link RdmaConnection#allocate}
 * creates them for sending. Any thread may release or {@linkplain RdmaConnection#write(RdmaMessage) write} a message, once. After that, all
 * methods except {@link #isZeroCopy} and {@link #close} throw {@link IllegalStateException}.
 *
 * <p>The connection releases a message when its message handler returns, unless the handler called {@link #retain}. Any other message must
 * be released or written. Otherwise its memory is not reused until the node closes.
 */
@VertxGen
public interface RdmaMessage extends AutoCloseable {

  /**
   * Returns the bytes of the message as read-only memory, valid until the message is released or written. Later access may read other
   * messages, or throw {@link IllegalStateException} after the connection closed.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  MemorySegment segment();

  /**
   * Returns the body as a modifiable buffer. The buffer and its slices are valid until the message is released or written. Copies the
   * message in the same cases as {@link #retain}.
   */
  Buffer body();

  /** Returns the size of the body in bytes. */
  int size();

  /**
   * Returns whether the message is in memory that the network device uses directly, or in the peer's memory. Otherwise the message is on
   * the heap, because it is short or no such memory was free.
   */
  boolean isZeroCopy();

  /**
   * Keeps a received message after its handler returns, until it is released or written. Called by the handler, any number of times.
   *
   * <p>Copies the message if it is in memory of the peer or in a receive buffer of the connection. {@link #segment} then returns the copy.
   * A segment obtained before is valid until the handler returns.
   */
  @Fluent
  RdmaMessage retain();

  void release();

  /** Releases the message unless it was released or written, for {@code try (RdmaMessage message = …)} on a virtual thread. */
  @Override
  void close();
}
