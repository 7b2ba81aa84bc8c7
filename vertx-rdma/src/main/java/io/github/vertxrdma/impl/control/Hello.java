package io.github.vertxrdma.impl.control;

import io.vertx.core.buffer.Buffer;
import java.security.SecureRandom;

/**
 * First frame of the side that connects. Payload: version (2), nonce (16). It tells nothing of who connects: that follows the proofs, in
 * {@link Join}.
 *
 * @param nonce random; its first 8 bytes are the link's id
 */
public record Hello(byte[] nonce) {
  static final short VERSION = 2;
  static final int NONCE_LENGTH = 16;

  private static final SecureRandom RANDOM = new SecureRandom();

  static byte[] newNonce() {
    byte[] nonce = new byte[NONCE_LENGTH];
    RANDOM.nextBytes(nonce);
    return nonce;
  }

  static Hello make() {
    return new Hello(newNonce());
  }

  /** @throws IllegalArgumentException if it is none, with the reason */
  public static Hello read(Buffer payload) {
    if (payload.length() < 2) {
      throw new IllegalArgumentException("its greeting is cut short");
    }
    short version = payload.getShort(0);
    if (version != VERSION) {
      throw new IllegalArgumentException("it speaks version " + version + " of the control protocol, this node speaks version " + VERSION
        + "; run versions of vertx-rdma that meet");
    }
    if (payload.length() != 2 + NONCE_LENGTH) {
      throw new IllegalArgumentException("its greeting has " + payload.length() + " bytes");
    }
    return new Hello(payload.getBytes(2, payload.length()));
  }

  public Buffer payload() {
    return Buffer.buffer(2 + NONCE_LENGTH).appendShort(VERSION).appendBytes(nonce);
  }

  long linkId() {
    return Buffer.buffer(nonce).getLong(0);
  }
}
