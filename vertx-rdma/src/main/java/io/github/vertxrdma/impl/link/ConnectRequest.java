package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;

/**
 * Private data of a connection request, 44 bytes, big-endian: magic (1), highest version (1), lowest version (1), flags (1), connection id
 * (8), epoch (8), node tag (8), nonce (16). The transport may append zeros, see rdma_connect(3). If the acceptor announced a nonce, that
 * nonce (16) and the connector's greeting may follow.
 *
 * @param nodeTag hash of the connector's node id
 */
public record ConnectRequest(VersionRange versions, int flags, long connectionId, long epoch, long nodeTag, byte[] nonce) {
  public static final int LENGTH = 44;
  public static final int NONCE_LENGTH = 16;
  public static final int GREETED_LENGTH = LENGTH + NONCE_LENGTH;
  /** Flag: both ends know the acceptor's advertised address, and the proofs cover that address. */
  public static final int ADDRESS_BOUND = 1;

  public byte[] encode() {
    return Cursor.writing(LENGTH).u8(LinkVersions.MAGIC).u16(versions.word()).u8(flags).i64(connectionId).i64(epoch).i64(nodeTag)
      .bytes(nonce).toArray();
  }

  public static ConnectRequest decode(byte[] bytes) {
    Cursor in = LinkVersions.begin("request", bytes);
    VersionRange versions = VersionRange.of(in.u16());
    LinkVersions.choose(versions);
    LinkVersions.checkLength("request", bytes, LENGTH);
    return new ConnectRequest(versions, in.u8(), in.i64(), in.i64(), in.i64(), in.bytes(NONCE_LENGTH));
  }
}
