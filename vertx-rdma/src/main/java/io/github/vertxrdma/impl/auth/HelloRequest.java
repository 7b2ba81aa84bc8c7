package io.github.vertxrdma.impl.auth;

import java.nio.ByteBuffer;

/**
 * Private data of a connection request: 44 bytes, big-endian: version (2), flags (2), connection id (8), epoch (8), node tag (8), nonce
 * (16). The transport may append zeros, rdma_connect(3).
 *
 * @param version of the protocol, {@link Hello#VERSION}
 * @param flags {@link Hello#ADDRESS_BOUND}
 * @param connectionId random
 * @param epoch of the connector
 * @param nodeTag {@link Hello#tag} of the connector's node id
 * @param nonce 16 random bytes; the array is not copied
 */
record HelloRequest(int version, int flags, long connectionId, long epoch, long nodeTag, byte[] nonce) {
  static final int LENGTH = 44;

  byte[] encode() {
    return ByteBuffer.allocate(LENGTH).putShort((short) version).putShort((short) flags).putLong(connectionId).putLong(epoch)
      .putLong(nodeTag).put(nonce).array();
  }

  /** @throws io.github.vertxrdma.RdmaException if it is none, or of another version */
  static HelloRequest decode(byte[] bytes) {
    ByteBuffer in = Hello.check("request", bytes, LENGTH);
    return new HelloRequest(in.getShort() & 0xffff, in.getShort() & 0xffff, in.getLong(), in.getLong(), in.getLong(), Hello.nonce(in));
  }
}
