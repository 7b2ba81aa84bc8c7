package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.wire.Fields;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.buffer.BufferInternal;

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
    ByteBuf out = Unpooled.buffer();
    Fields.put(out, device);
    Fields.put(out, words.substring(0, Math.min(words.length(), MOST)));
    return BufferInternal.buffer(out);
  }

  /** @throws IllegalArgumentException if the bytes are none */
  public static Outage decode(Buffer message) {
    ByteBuf in = Unpooled.wrappedBuffer(message.getBytes());
    try {
      Outage outage = new Outage(Fields.text(in), Fields.text(in));
      if (outage.device.length() > MOST || outage.words.length() > MOST) {
        throw new IllegalArgumentException("the name of a device, or why it carries nothing, is longer than " + MOST + " characters");
      }
      if (!in.isReadable()) {
        return outage;
      }
    } catch (IndexOutOfBoundsException e) {
      // said below
    }
    throw new IllegalArgumentException(message.length() + " bytes do not tell of a device");
  }
}
