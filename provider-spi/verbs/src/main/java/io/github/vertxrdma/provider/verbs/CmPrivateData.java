package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Encodes private data of the connection manager. iWARP transmits its length. InfiniBand pads it with zeros, so a byte 0x80 ends the data
 * (padding of ISO/IEC 7816-4). Data of other programs lacks this byte, and loses the zeros at its end.
 */
final class CmPrivateData {
  private static final byte MARK = (byte) 0x80;
  /** Maximum bytes in a request. InfiniBand has 92, of which rdma_cm uses 36 and the byte 0x80 uses 1. */
  static final int MOST = 55;
  static final byte[] NONE = {};

  private CmPrivateData() {
  }

  /** Returns the data followed by 0x80, or unchanged if {@code exact} (iWARP). */
  static byte[] sent(byte[] data, boolean exact) {
    if (exact || data.length == 0) {
      return data;
    }
    byte[] marked = Arrays.copyOf(data, data.length + 1);
    marked[data.length] = MARK;
    return marked;
  }

  /** Returns the data without padding, or unchanged if {@code exact}. */
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
