package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret of the two queues of a {@link QueueLink}. The acceptor of their first connection sends it over the socket. A later request over
 * another socket is answered through the rings only if it contains an HMAC with this secret.
 */
record LinkKey(byte[] bytes) {
  static final int LENGTH = 16;
  private static final String ALGORITHM = "HmacSHA256";

  static LinkKey random() {
    return new LinkKey(ByteBuffer.allocate(LENGTH).putLong(ShmQueue.random()).putLong(ShmQueue.random()).array());
  }

  static byte[] nothing() {
    return new byte[LENGTH];
  }

  byte[] prove(long token, EndpointAddress listener) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(bytes, ALGORITHM));
      mac.update(ByteBuffer.allocate(Long.BYTES).putLong(token).array());
      return Arrays.copyOf(mac.doFinal(listener.bytes()), LENGTH);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this JDK lacks " + ALGORITHM, e);
    }
  }

  /** Compares a proof with the right one in constant time. */
  boolean isProvenBy(byte[] proof, long token, EndpointAddress listener) {
    return MessageDigest.isEqual(prove(token, listener), proof);
  }
}
