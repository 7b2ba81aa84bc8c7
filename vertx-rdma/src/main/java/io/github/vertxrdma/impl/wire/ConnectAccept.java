package io.github.vertxrdma.impl.wire;

import java.nio.ByteBuffer;

/**
 * Private data of an accept: 50 bytes, big-endian: magic (1), version (1), epoch (8), node tag (8), nonce (16), proof (16). The transport
 * may append zeros.
 *
 * @param version of the protocol that the link will have
 * @param epoch of the acceptor
 * @param nodeTag of the acceptor's node id
 * @param nonce 16 random bytes; the array is not copied
 * @param proof the first 16 bytes of the acceptor's HMAC; the array is not copied
 */
public record ConnectAccept(int version, long epoch, long nodeTag, byte[] nonce, byte[] proof) {
  public static final int LENGTH = 50;
  public static final int PROOF_LENGTH = 16;

  public byte[] encode() {
    return ByteBuffer.allocate(LENGTH).put((byte) LinkVersions.MAGIC).put((byte) version).putLong(epoch).putLong(nodeTag).put(nonce)
      .put(proof)
      .array();
  }

  /** @throws io.github.vertxrdma.RdmaException if it is none of ours, or of a version that this node does not speak */
  public static ConnectAccept decode(byte[] bytes) {
    ByteBuffer in = LinkVersions.begin("accept", bytes);
    int version = in.get() & 0xff;
    LinkVersions.choose(version, version);
    LinkVersions.checkLength("accept", bytes, LENGTH);
    return new ConnectAccept(version, in.getLong(), in.getLong(), LinkVersions.bytes(in, ConnectRequest.NONCE_LENGTH),
      LinkVersions.bytes(in, PROOF_LENGTH));
  }
}
