package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.vertx.core.buffer.Buffer;
import java.util.random.RandomGenerator;

/** First frame of the connector. @param nonce random; its first 8 bytes are the link's id */
public record Hello(byte[] nonce) {
  static final short VERSION = 2;
  static final int NONCE_LENGTH = 16;

  static byte[] newNonce(RandomGenerator random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  static Hello make(RandomGenerator random) {
    return new Hello(newNonce(random));
  }

  /** @throws IllegalArgumentException if the payload is invalid */
  public static Hello read(Buffer payload) {
    Cursor in = Cursor.reading("its greeting", payload.getBytes());
    int version = in.u16();
    if (version != VERSION) {
      throw new IllegalArgumentException("it speaks version " + version + " of the control protocol, this node speaks version " + VERSION
        + "; run versions of vertx-rdma that meet");
    }
    if (payload.length() != 2 + NONCE_LENGTH) {
      throw new IllegalArgumentException("its greeting has " + payload.length() + " bytes");
    }
    return new Hello(in.rest());
  }

  public Buffer payload() {
    return Buffer.buffer(2 + NONCE_LENGTH).appendShort(VERSION).appendBytes(nonce);
  }

  long linkId() {
    return Buffer.buffer(nonce).getLong(0);
  }
}
