package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Encodes private data of the connection manager. iWARP transmits their length. InfiniBand pads its messages with zeros, so a byte 0x80
 * ends the data (padding of ISO/IEC 7816-4). From data of other programs the zeros at the end are removed.
 */
final class CmPrivateData {
  private static final byte MARK = (byte) 0x80;
  /** Maximum number of bytes in a request, which has 92 on InfiniBand; rdma_cm uses 36 of them, the mark 1. Answers have more. */
  static final int MOST = 55;
  static final byte[] NONE = {};

  private CmPrivateData() {
  }

  /** Returns the data followed by 0x80. @param exact true on iWARP, which needs no 0x80 */
  static byte[] sent(byte[] data, boolean exact) {
    if (exact || data.length == 0) {
      return data;
    }
    byte[] marked = Arrays.copyOf(data, data.length + 1);
    marked[data.length] = MARK;
    return marked;
  }

  /** Returns the data without the padding. @param exact true if there is no padding */
  static byte[] received(byte[] data, boolean exact) {
    if (exact) {
      return data;
    }
    int length = data.length;
    while (length > 0 && data[length - 1] == 0) {
      length--;
    }
    if (length > 0 && data[length - 1] == MARK) {
      length--;
    }
    return Arrays.copyOf(data, length);
  }
}
