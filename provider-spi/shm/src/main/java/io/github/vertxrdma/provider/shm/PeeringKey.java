package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret of the two queues of a {@link Peering}. The acceptor of the peering's first connection chooses it and sends it over the peering's
 * own socket. A later request over another socket proves it; only then does the acceptance go through the rings of the peering.
 *
 * @param bytes {@value #LENGTH} bytes
 */
record PeeringKey(byte[] bytes) {
  static final int LENGTH = 16;
  private static final String ALGORITHM = "HmacSHA256";

  static PeeringKey random() {
    return new PeeringKey(ByteBuffer.allocate(LENGTH).putLong(ShmQueue.random()).putLong(ShmQueue.random()).array());
  }

  /** Returns the proof of a request that knows no key. */
  static byte[] nothing() {
    return new byte[LENGTH];
  }

  /** Returns the proof of a request to a listener, {@value #LENGTH} bytes. @param token of the request */
  byte[] prove(long token, EndpointAddress listener) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(new SecretKeySpec(bytes, ALGORITHM));
      mac.update(ByteBuffer.allocate(Long.BYTES).putLong(token).array());
      return Arrays.copyOf(mac.doFinal(listener.bytes()), LENGTH);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has " + ALGORITHM, e);
    }
  }

  /** Returns whether a request to a listener knows this key. Compares in constant time. */
  boolean isProvenBy(byte[] proof, long token, EndpointAddress listener) {
    return MessageDigest.isEqual(prove(token, listener), proof);
  }
}
