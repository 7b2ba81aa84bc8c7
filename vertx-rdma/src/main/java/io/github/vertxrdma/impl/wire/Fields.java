package io.github.vertxrdma.impl.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** Bytes and text after their length of 16 bits, as greetings and descriptions of ends hold them. */
public final class Fields {
  /** Characters of a name. */
  private static final int MOST = 255;

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

  /**
   * The id of a node.
   *
   * @throws IndexOutOfBoundsException if fewer bytes are there
   * @throws IllegalArgumentException if it is none
   */
  public static String nodeId(ByteBuf in) {
    String id = text(in);
    if (!isName(id)) {
      throw new IllegalArgumentException(
        "a node id of " + id.length() + " characters where 1 to " + MOST + " are due, none of them a control character");
    }
    return id;
  }

  /** Whether it is an id or a name as users give them: 1 to 255 characters, none of them a control character. */
  public static boolean isName(String name) {
    return !name.isEmpty() && name.length() <= MOST && name.chars().noneMatch(Character::isISOControl);
  }

  /** @throws IndexOutOfBoundsException if fewer bytes are there */
  public static String text(ByteBuf in) {
    return new String(bytes(in), StandardCharsets.UTF_8);
  }
}
