package io.github.vertxrdma.impl.peers;

import io.vertx.core.buffer.Buffer;

/**
 * Question over the control connection, or its answer.
 *
 * @param refused true if the rest of an answer is the cause of a refusal
 */
public record Numbered(int number, boolean refused, Buffer rest) {
  private static final int NUMBER = 4;

  public static Buffer question(int number, Buffer rest) {
    return Buffer.buffer(NUMBER + rest.length()).appendInt(number).appendBuffer(rest);
  }

  public static Buffer answer(int number, boolean refused, Buffer rest) {
    return Buffer.buffer(NUMBER + 1 + rest.length()).appendInt(number).appendByte((byte) (refused ? 1 : 0)).appendBuffer(rest);
  }

  /** @param least bytes after the number */
  public static Numbered question(Buffer message, int least) {
    check(message, NUMBER + least);
    return new Numbered(message.getInt(0), false, message.getBuffer(NUMBER, message.length()));
  }

  public static Numbered answer(Buffer message) {
    check(message, NUMBER + 1);
    return new Numbered(message.getInt(0), message.getByte(NUMBER) != 0, message.getBuffer(NUMBER + 1, message.length()));
  }

  private static void check(Buffer message, int least) {
    if (message.length() < least) {
      throw new IllegalArgumentException(message.length() + " bytes, at least " + least + " are due");
    }
  }
}
