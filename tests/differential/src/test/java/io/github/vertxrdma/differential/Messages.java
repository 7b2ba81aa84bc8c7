package io.github.vertxrdma.differential;

import io.vertx.core.buffer.Buffer;

/** Numbered messages, whose bytes follow from row and number. */
final class Messages {
  private static final int HEADER = 8;

  private Messages() {
  }

  static byte[] bytes(int row, int number, int size) {
    byte[] bytes = new byte[size];
    putInt(bytes, 0, row);
    putInt(bytes, 4, number);
    for (int i = HEADER; i < size; i++) {
      bytes[i] = at(row, number, i);
    }
    return bytes;
  }

  static void fill(Buffer buffer, int row, int number) {
    buffer.setBytes(0, bytes(row, number, buffer.length()));
  }

  /** Returns the number of a message, or {@code -number - 1} if its bytes are wrong. */
  static int check(byte[] bytes, int row) {
    int number = getInt(bytes, 4);
    boolean right = getInt(bytes, 0) == row;
    for (int i = HEADER; i < bytes.length; i++) {
      right &= bytes[i] == at(row, number, i);
    }
    return right ? number : -Math.abs(number) - 1;
  }

  private static byte at(int row, int number, int i) {
    return (byte) (row * 17 + number * 31 + i * 7 + (i >> 8));
  }

  private static void putInt(byte[] bytes, int at, int value) {
    for (int i = 0; i < 4; i++) {
      bytes[at + i] = (byte) (value >> 24 - 8 * i);
    }
  }

  private static int getInt(byte[] bytes, int at) {
    int value = 0;
    for (int i = 0; i < 4; i++) {
      value = value << 8 | bytes[at + i] & 0xff;
    }
    return value;
  }
}
