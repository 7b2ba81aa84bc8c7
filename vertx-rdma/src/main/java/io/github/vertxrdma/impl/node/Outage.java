package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.vertx.core.buffer.Buffer;

/**
 * Control message with the state of a device of the sender. See docs/protocol.adoc.
 *
 * @param reason why the device transfers no messages; empty once it works again
 */
public record Outage(String device, String reason) {
  private static final int MOST = 256;

  String cause() {
    return "its " + device + " does not transfer messages: " + reason;
  }

  public Buffer encode() {
    return Buffer.buffer(Cursor.writing(64).text(2, device).text(2, reason.substring(0, Math.min(reason.length(), MOST))).toArray());
  }

  public static Outage decode(Buffer message) {
    Cursor in = Cursor.reading("a message about a device", message.getBytes());
    Outage outage = new Outage(PeerText.of(in.text(2)), PeerText.of(in.text(2)));
    if (outage.device.length() > MOST || outage.reason.length() > MOST || in.remaining() > 0) {
      throw new IllegalArgumentException("a message of " + message.length() + " bytes about a device has fields of more than "
        + MOST + " characters, or extra bytes");
    }
    return outage;
  }
}
