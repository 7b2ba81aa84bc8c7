package io.github.vertxrdma.provider.libfabric;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Private data of a connection request or reply. With {@link EndpointTags} the sender's number and a mark follow the application's bytes.
 */
record PrivateData(byte[] bytes, int tag) {
  static final int TRAILER = 8;
  static final int REJECT = -1;
  private static final int MARK = 0x76724654;

  static byte[] encode(byte[] bytes, int tag) {
    return tag == 0 ? bytes : ByteBuffer.allocate(bytes.length + TRAILER).put(bytes).putInt(tag).putInt(MARK).array();
  }

  static PrivateData decode(byte[] received, boolean tagged) {
    int length = received.length - TRAILER;
    if (!tagged || length < 0 || ByteBuffer.wrap(received).getInt(length + 4) != MARK) {
      return new PrivateData(received, 0);
    }
    return new PrivateData(Arrays.copyOf(received, length), ByteBuffer.wrap(received).getInt(length));
  }
}
