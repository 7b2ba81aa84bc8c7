package io.github.vertxrdma.provider.verbs;

import java.util.Arrays;

/**
 * Private data of the connection manager. iWARP tells its length. InfiniBand's messages are of fixed size: what was sent arrives with
 * zeros behind it, so a mark (0x80, as ISO/IEC 7816-4 pads) ends it, which a program that knows the length of what it expects does
 * not notice. A request that is full has no room for the mark; it says so by the flag for end-to-end flow control, which means
 * nothing to queue pairs of user programs. Data of other programs has no mark: it is taken as it is, without the zeros at its end.
 */
final class CmPrivateData {
  private static final byte MARK = (byte) 0x80;
  /** The bytes that rdma_cm leaves of InfiniBand's 92 in a request; answers have more. */
  static final int MOST = 56;
  static final byte[] NONE = {};

  private CmPrivateData() {
  }

  /** Whether a request has no room for the mark. */
  static boolean isFull(byte[] request, boolean exact) {
    return !exact && request.length == MOST;
  }

  /** The bytes to send; a request that is full is sent as it is. */
  static byte[] sent(byte[] data, boolean exact) {
    if (exact || data.length == 0) {
      return data;
    }
    byte[] marked = Arrays.copyOf(data, data.length + 1);
    marked[data.length] = MARK;
    return marked;
  }

  /** The data that was sent. @param exact whether the length is known to be that of the data */
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
