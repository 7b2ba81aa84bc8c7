package io.github.vertxrdma.impl.control;

import io.vertx.core.buffer.Buffer;

/**
 * A question over the control connection, or its answer: number 4, of an answer 0 or 1 for what was refused, then the rest.
 *
 * @param number by which an answer finds its question
 * @param refused whether the rest of an answer says why there is none
 * @param rest what is asked or answered
 */
public record Numbered(int number, boolean refused, Buffer rest) {
  private static final int NUMBER = 4;

  public static Buffer question(int number, Buffer rest) {
    return Buffer.buffer(NUMBER + rest.length()).appendInt(number).appendBuffer(rest);
  }

  public static Buffer answer(int number, boolean refused, Buffer rest) {
    return Buffer.buffer(NUMBER + 1 + rest.length()).appendInt(number).appendByte((byte) (refused ? 1 : 0)).appendBuffer(rest);
  }

  /** @throws IllegalArgumentException if it is none, or has fewer bytes behind the number */
  public static Numbered question(Buffer message, int least) {
    check(message, NUMBER + least);
    return new Numbered(message.getInt(0), false, message.getBuffer(NUMBER, message.length()));
  }

  /** @throws IllegalArgumentException if it is none */
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
