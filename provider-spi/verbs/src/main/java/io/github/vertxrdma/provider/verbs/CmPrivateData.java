package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Private data of the connection manager. iWARP transmits the length, but InfiniBand's messages have a fixed size with zeros at the end. So
 * a byte 0x80 ends the data (padding of ISO/IEC 7816-4). Data that fill the message have no such byte; the flag for end-to-end flow
 * control, which has no meaning for user programs, shows that. From data of other programs the zeros at the end are removed.
 */
final class CmPrivateData {
  private static final byte MARK = (byte) 0x80;
  /** Maximum bytes that rdma_cm leaves of InfiniBand's 92 in a request; answers have more. */
  static final int MOST = 56;
  static final byte[] NONE = {};

  private CmPrivateData() {
  }

  static boolean isFull(byte[] request, boolean exact) {
    return !exact && request.length == MOST;
  }

  /** Returns the bytes to send. Data that fill the message are sent unchanged. */
  static byte[] sent(byte[] data, boolean exact) {
    if (exact || data.length == 0) {
      return data;
    }
    byte[] marked = Arrays.copyOf(data, data.length + 1);
    marked[data.length] = MARK;
    return marked;
  }

  /** Returns the data that were sent. @param exact whether the length is known to be that of the data */
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
