package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.wire.ControlFrame;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.ConnectionStatistics;
import java.lang.foreign.MemorySegment;

/** Handler of a stream of frames that its state allows: the opening, then the link. Called on the loop. */
public interface FrameHandler {

  /** @param privateData of the accept, on the connecting side */
  default void connected(byte[] privateData) {
  }

  void disconnected(ProviderException cause);

  /**
   * Called when a post finds the endpoint of an open stream disconnected. Earlier messages may still come.
   *
   * @param cause null if it is not known yet
   */
  default void notConnected(ProviderException cause) {
  }

  /**
   * Takes a data frame. {@link #deliver} passes it to the application, once its receive is posted again.
   *
   * @param memory payload of {@code length} bytes at {@code at}, none for RTS; valid during the call
   */
  default void data(int type, int flags, long a, long b, MemorySegment memory, long at, int length) {
  }

  default void deliver() {
  }

  default void control(ControlFrame frame) {
  }

  default void turnEnd() {
  }

  /** Adds to an error what this side contributed to it. */
  default Throwable explained(Throwable why) {
    return why;
  }

  /** Called before the endpoint closes. @param cause null after an orderly close */
  void closed(Throwable cause);

  /** Called when no operation can begin any more. The fabric may still own memory. */
  default void endpointClosed() {
  }

  /** Called when the fabric may own memory for long. */
  default void quarantined() {
  }

  /** Called when the fabric owns no memory any more. */
  default void destroyed() {
  }

  /** Called when this side starts to wait for the peer: for a reply, or for credits. */
  default void waitStarted() {
  }

  default void measureRoundTrip() {
  }

  /** Returns whether operations are pending that only the peer can complete. */
  default boolean awaitsPeer() {
    return false;
  }

  default long pendingBytes() {
    return 0;
  }

  /** Returns the peer and the fabric, for messages. */
  String name();

  ConnectionStatistics statistics();
}
