package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.base.Cursor;
import io.vertx.core.buffer.Buffer;

/**
 * A device that carries nothing, or carries again, as its node tells peers over the control connection: docs/protocol.adoc has the bytes.
 *
 * @param device its name
 * @param words why it carries nothing; empty once it carries again
 */
public record Outage(String device, String words) {
  /** Characters of either. */
  private static final int MOST = 256;

  /** Words that go on a sentence of who hears of it. */
  String why() {
    return "its " + device + " carries nothing, " + words;
  }

  public Buffer encode() {
    return Buffer.buffer(Cursor.writing(64).text(2, device).text(2, words.substring(0, Math.min(words.length(), MOST))).toArray());
  }

  /** @throws IllegalArgumentException if the bytes are none */
  public static Outage decode(Buffer message) {
    Cursor in = Cursor.reading("a message about a device", message.getBytes());
    Outage outage = new Outage(in.text(2), in.text(2));
    if (outage.device.length() > MOST || outage.words.length() > MOST || in.remaining() > 0) {
      throw new IllegalArgumentException("a message of " + message.length() + " bytes about a device has fields longer than " + MOST
        + " characters, or bytes behind them");
    }
    return outage;
  }
}
