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
  private static final int MOST_WORDS = 256;

  public Buffer encode() {
    ByteBuf out = Unpooled.buffer();
    Fields.put(out, device);
    Fields.put(out, words.substring(0, Math.min(words.length(), MOST_WORDS)));
    return BufferInternal.buffer(out);
  }

  /** @throws IllegalArgumentException if the bytes are none */
  public static Outage decode(Buffer message) {
    ByteBuf in = Unpooled.wrappedBuffer(message.getBytes());
    try {
      Outage outage = new Outage(Fields.text(in), Fields.text(in));
      if (!in.isReadable()) {
        return outage;
      }
    } catch (IndexOutOfBoundsException e) {
      // said below
    }
    throw new IllegalArgumentException(message.length() + " bytes do not tell of a device");
  }
}
