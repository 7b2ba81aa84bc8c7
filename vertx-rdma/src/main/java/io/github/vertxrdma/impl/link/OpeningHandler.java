package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.statistics.ConnectionStatistics;

/** Handler of a {@link FrameStream} during the handshake. Called on the event loop, for frames that the state allows. */
interface OpeningHandler {

  default void connected(byte[] privateData) {
  }

  void disconnected(ProviderException cause);

  default void control(ControlFrame frame) {
  }

  default void turnEnd() {
  }

  /** Called before the endpoint closes. @param cause null if this side has refused the peer */
  default void closed(Throwable cause) {
  }

  String name();

  ConnectionStatistics statistics();
}
