package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;

/** Connection of an authenticated peer, to be accepted or refused. */
public interface IncomingLink {

  Greeting greeting();

  DeviceLoop loop();

  String name();

  /**
   * Accepts the link. The caller must set the link's handler in the same task.
   *
   * @param data private data, at most 2,048 bytes
   * @return null if the peer has disconnected, or was already accepted or refused
   */
  Link accept(byte[] data);

  default void refuse(String words) {
    refuse(Reason.REJECTED, words);
  }

  /** @param reason the connector may retry after {@code NOT_FOUND} and {@code LIMIT} */
  void refuse(Reason reason, String words);
}
