package io.github.vertxrdma.impl.opening;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.wire.Greeting;

/** A connector that has proved itself and waits for an answer. Confined to the loop. */
public interface IncomingLink {

  /** Identity of the peer, and the service that it wants. */
  Greeting greeting();

  DeviceLoop loop();

  /** Names the peer and the fabric, for messages. */
  String name();

  /**
   * Accepts it; the caller sets the link's handler before it returns to the loop.
   *
   * @param data private data for the connector, at most 2,048 bytes
   * @return null if the connector is gone, or was answered before
   */
  Link accept(byte[] data);

  /** Refuses it for good. @param words the connector is told */
  default void refuse(String words) {
    refuse(Reason.REJECTED, words);
  }

  /** Refuses it. @param reason {@code NOT_FOUND} and {@code LIMIT} tell the connector that another attempt may end differently */
  void refuse(Reason reason, String words);
}
