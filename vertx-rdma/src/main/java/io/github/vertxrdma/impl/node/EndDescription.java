package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.impl.process.NodeName;
import io.github.vertxrdma.provider.EndpointAddress;
import java.util.zip.CRC32C;

/** Description of an unconnected endpoint, which a peer needs to connect. See docs/protocol.adoc. */
public record EndDescription(String fabric, String nodeId, EndpointAddress address) {
  /** "vRDE" in ASCII. */
  private static final int MAGIC = 0x76524445;
  private static final VersionRange VERSIONS = new VersionRange(2, 2);
  private static final int HEAD = 4 + 2 + 2;
  private static final int CHECKSUM = 4;

  public byte[] encode() {
    byte[] fields = Cursor.writing(256).text(2, fabric).text(2, nodeId).text(2, address.format()).block(2, address.bytes()).toArray();
    Cursor out = Cursor.writing(256).i32(MAGIC).u16(VERSIONS.word()).u16(HEAD + fields.length + CHECKSUM).bytes(fields);
    return out.i32(checksum(out.toArray(), HEAD + fields.length)).toArray();
  }

  public static EndDescription decode(byte[] bytes) {
    Cursor in = Cursor.reading("it", bytes);
    if (bytes.length < HEAD || in.i32() != MAGIC) {
      throw protocolError("the peer sent " + bytes.length + " bytes that do not describe an endpoint");
    }
    VersionRange peer = VersionRange.of(in.u16());
    if (VERSIONS.common(peer) == 0) {
      throw protocolError(VERSIONS.refusal("the peer", "descriptions of endpoints", peer));
    }
    int length = in.u16();
    if (bytes.length != length || length < HEAD + CHECKSUM) {
      throw protocolError("the description of the peer's endpoint is too " + (bytes.length < length ? "short" : "long") + ": "
        + bytes.length + " bytes, not " + length);
    }
    Cursor fields = Cursor.reading("it", in.bytes(length - HEAD - CHECKSUM));
    if (in.i32() != checksum(bytes, length - CHECKSUM)) {
      throw protocolError("the description of the peer's endpoint has a wrong checksum");
    }
    try {
      return new EndDescription(PeerText.of(fields.text(2)), NodeName.checkId(fields.text(2)),
        EndpointAddress.of(fields.text(2), fields.block(2)));
    } catch (IllegalArgumentException e) {
      throw protocolError("the description of the peer's endpoint is invalid: " + e.getMessage());
    }
  }

  private static RdmaException protocolError(String why) {
    return new RdmaException(Reason.PROTOCOL, why);
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, length);
    return (int) checksum.getValue();
  }
}
