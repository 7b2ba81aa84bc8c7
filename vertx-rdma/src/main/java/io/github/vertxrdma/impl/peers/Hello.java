package io.github.vertxrdma.impl.peers;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.vertx.core.buffer.Buffer;
import java.util.random.RandomGenerator;

/** First frame of a control connection. @param nonce 16 random bytes; the first 8 are the link's id */
public record Hello(VersionRange versions, byte[] nonce) {
  static final VersionRange SPOKEN = new VersionRange(3, 3);
  static final int LENGTH = 2 + 16;
  private static final int NONCE_LENGTH = 16;

  private static byte[] newNonce(RandomGenerator random) {
    byte[] nonce = new byte[NONCE_LENGTH];
    random.nextBytes(nonce);
    return nonce;
  }

  static Hello make(RandomGenerator random) {
    return new Hello(SPOKEN, newNonce(random));
  }

  public static Hello read(Buffer payload) {
    Cursor in = Cursor.reading("the greeting of a control connection", payload.getBytes());
    return new Hello(VersionRange.of(in.u16()), in.bytes(NONCE_LENGTH));
  }

  public Buffer payload() {
    return payload(versions, nonce);
  }

  static Buffer welcome(int version, RandomGenerator random) {
    return payload(VersionRange.only(version), newNonce(random));
  }

  private static Buffer payload(VersionRange versions, byte[] nonce) {
    return Buffer.buffer(LENGTH).appendShort((short) versions.word()).appendBytes(nonce);
  }

  static Buffer refuse() {
    return Buffer.buffer(2).appendShort((short) SPOKEN.word());
  }

  static String refusal(VersionRange peer) {
    return SPOKEN.refusal("the peer", "the control protocol", peer);
  }

  long linkId() {
    return Buffer.buffer(nonce).getLong(0);
  }
}
