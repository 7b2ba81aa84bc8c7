package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Private data of the connection manager. iWARP sends its length; InfiniBand's messages have a fixed size, with zeros at the end. So a mark
 * (0x80, padding of ISO/IEC 7816-4) ends the data. A full request sets the flag for end-to-end flow control instead, which has no meaning
 * for user programs. Data of other programs are taken without the zeros.
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

  /** Returns the bytes to send; a full request is sent unchanged. */
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
