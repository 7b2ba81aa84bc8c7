package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.device.DeviceLoop;

/** Proven connector that awaits a decision. Confined to the loop. */
public interface IncomingLink {

  Greeting greeting();

  DeviceLoop loop();

  String name();

  /**
   * Accepts the link. The caller sets its handler before it returns to the loop.
   *
   * @param data private data, at most 2,048 bytes
   * @return null if the connector has disconnected, or the decision was made before
   */
  Link accept(byte[] data);

  default void refuse(String words) {
    refuse(Reason.REJECTED, words);
  }

  /** @param reason {@code NOT_FOUND} and {@code LIMIT} let the connector retry */
  void refuse(Reason reason, String words);
}
