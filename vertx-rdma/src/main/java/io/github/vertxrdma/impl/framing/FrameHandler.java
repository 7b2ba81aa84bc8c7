package io.github.vertxrdma.impl.framing;

import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;

/**
 * Whoever a stream of frames belongs to: its opening, then its link. Hears of frames that its state allows only, and need not handle
 * others; on the loop.
 */
public interface FrameHandler {

  /** The fabric has connected the endpoint. @param privateData of the accept, on the connecting side */
  default void connected(byte[] privateData) {
  }

  /** The fabric tells of the endpoint's end. */
  void disconnected(ProviderException cause);

  /**
   * Called when an open stream finds that its endpoint takes nothing more. Messages that arrived before may still come, and the
   * endpoint's event follows them.
   *
   * @param cause of the endpoint's end; null if it is not known yet
   */
  default void notConnected(ProviderException cause) {
  }

  /**
   * Takes what is needed of a frame that costs a data credit. Nothing may be told to an application: its receive is posted again first.
   *
   * @param memory with the payload of {@code length} bytes at {@code at}, of RTS without a payload; valid during the call
   */
  default void data(int type, int flags, long a, long b, MemorySegment memory, long at, int length) {
  }

  /** Tells the application what {@link #data} took. */
  default void deliver() {
  }

  /** Handles a control frame, whose receive is posted again. */
  default void control(ControlFrame frame) {
  }

  /** Does what is due at the end of a turn. */
  default void turnEnd() {
  }

  /** Adds to the cause of an end what this side had to do with it. */
  default Throwable explained(Throwable why) {
    return why;
  }

  /** The stream is over; its endpoint is not closed yet. @param cause null after an orderly close */
  void over(Throwable cause);

  /** The endpoint was closed: no operation of it begins any more, the fabric may still own memory. */
  default void closed() {
  }

  /** The fabric may own memory for long: others get memory in its place. */
  default void quarantined() {
  }

  /** The fabric owns nothing any more. */
  default void destroyed() {
  }

  /** Something was posted that the peer answers, the first since a frame came, or waits for its credits. */
  default void asked() {
  }

  /** Asks the peer for an answer, to know the round trip. */
  default void measureRoundTrip() {
  }

  /** Tells whether operations of this side are under way whose end only the peer can tell. */
  default boolean awaitsPeer() {
    return false;
  }

  /** Bytes of messages that wait for credits, slots or the queue. */
  default long pendingBytes() {
    return 0;
  }

  /** Names the peer and the fabric, for messages. */
  String name();

  /** Figures for tools. */
  ConnectionStatistics statistics();
}
