package io.github.vertxrdma.impl.auth;

import java.nio.ByteBuffer;

/**
 * Private data of an accept: 50 bytes, big-endian: version (2), epoch (8), node tag (8), nonce (16), proof (16). The transport may append
 * zeros.
 *
 * @param version of the protocol
 * @param epoch of the acceptor
 * @param nodeTag {@link Hello#tag} of the acceptor's node id
 * @param nonce 16 random bytes; the array is not copied
 * @param proof the first 16 bytes of the acceptor's HMAC; the array is not copied
 */
record HelloAccept(int version, long epoch, long nodeTag, byte[] nonce, byte[] proof) {
  static final int LENGTH = 50;

  byte[] encode() {
    return ByteBuffer.allocate(LENGTH).putShort((short) version).putLong(epoch).putLong(nodeTag).put(nonce).put(proof).array();
  }

  /** @throws io.github.vertxrdma.RdmaException if it is none, or of another version */
  static HelloAccept decode(byte[] bytes) {
    ByteBuffer in = Hello.check("accept", bytes, LENGTH);
    return new HelloAccept(in.getShort() & 0xffff, in.getLong(), in.getLong(), Hello.nonce(in), Hello.nonce(in));
  }
}
