package io.github.vertxrdma.impl.auth;

import io.github.vertxrdma.RdmaException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;

/** What requests and accepts have in common. */
final class Hello {
  /** Version of the protocol; the high byte tells it from the private data of other programs. */
  static final int VERSION = 0x5603;
  /** Flag: both ends know the acceptor's advertised address, and the proofs cover it. */
  static final int ADDRESS_BOUND = 1;
  static final int NONCE_LENGTH = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  private Hello() {
  }

  static byte[] newNonce() {
    byte[] nonce = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  static long newConnectionId() {
    return RANDOM.nextLong();
  }

  /** Stands for a node id where there is no room for it: the first 8 bytes of its SHA-256. */
  static long tag(String nodeId) {
    try {
      return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(nodeId.getBytes(StandardCharsets.UTF_8))).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static byte[] nonce(ByteBuffer in) {
    byte[] bytes = new byte[NONCE_LENGTH];
    in.get(bytes);
    return bytes;
  }

  /** @throws RdmaException if the bytes are too few, not ours, or of another version */
  static ByteBuffer check(String what, byte[] bytes, int length) {
    if (bytes.length < 2 || bytes[0] != VERSION >> 8) {
      throw new RdmaException(RdmaException.Reason.PROTOCOL, "the peer's " + what + " is not one of vertx-rdma (" + bytes.length + " bytes)"
        + "; another program answers at that address");
    }
    if (bytes[1] != (byte) VERSION) {
      throw new RdmaException(RdmaException.Reason.PROTOCOL, "the peer speaks version " + (bytes[1] & 0xff) + " of the protocol, this node"
        + " version " + (VERSION & 0xff) + "; run the same version of vertx-rdma on both");
    }
    if (bytes.length < length) {
      throw new RdmaException(RdmaException.Reason.PROTOCOL, "the peer's " + what + " has " + bytes.length + " bytes, not " + length);
    }
    return ByteBuffer.wrap(bytes);
  }
}
