package io.github.vertxrdma.impl.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Bytes and text after their length of 16 bits, as greetings and descriptions of ends hold them. */
public final class Fields {
  private Fields() {
  }

  public static void put(ByteBuf out, byte[] bytes) {
    out.writeShort(bytes.length).writeBytes(bytes);
  }

  public static void put(ByteBuf out, String text) {
    put(out, text.getBytes(StandardCharsets.UTF_8));
  }

  /** @throws IndexOutOfBoundsException if fewer bytes are there */
  public static byte[] bytes(ByteBuf in) {
    byte[] bytes = new byte[in.readUnsignedShort()];
    in.readBytes(bytes);
    return bytes;
  }

  /** @throws IndexOutOfBoundsException if fewer bytes are there */
  public static String text(ByteBuf in) {
    return new String(bytes(in), StandardCharsets.UTF_8);
  }
}
