package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;

/**
 * Private data of an accept, 50 bytes, big-endian: magic (1), version (1), epoch (8), node tag (8), nonce (16), proof (16). The transport
 * may append zeros.
 *
 * @param nodeTag hash of the acceptor's node id
 * @param proof first 16 bytes of the acceptor's HMAC
 */
public record ConnectAccept(int version, long epoch, long nodeTag, byte[] nonce, byte[] proof) {
  public static final int LENGTH = 50;
  public static final int PROOF_LENGTH = 16;

  public byte[] encode() {
    return Cursor.writing(LENGTH).u8(LinkVersions.MAGIC).u8(version).i64(epoch).i64(nodeTag).bytes(nonce).bytes(proof).toArray();
  }

  public static ConnectAccept decode(byte[] bytes) {
    Cursor in = LinkVersions.begin("accept", bytes);
    int version = in.u8();
    LinkVersions.choose(VersionRange.only(version));
    LinkVersions.checkLength("accept", bytes, LENGTH);
    return new ConnectAccept(version, in.i64(), in.i64(), in.bytes(ConnectRequest.NONCE_LENGTH), in.bytes(PROOF_LENGTH));
  }
}
