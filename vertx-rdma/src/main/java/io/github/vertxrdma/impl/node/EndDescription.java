package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.wire.Fields;
import io.github.vertxrdma.provider.EndpointAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.zip.CRC32C;

/**
 * What the peer of an unconnected end must know of it: docs/protocol.adoc has the bytes.
 *
 * @param fabric the wire it is on
 * @param nodeId whose it is
 * @param address of its endpoint
 */
public record EndDescription(String fabric, String nodeId, EndpointAddress address) {
  /** In ASCII "vRDE". */
  private static final int MAGIC = 0x76524445;
  private static final int VERSION = 1;
  private static final int HEAD = 4 + 1 + 2;
  private static final int CHECKSUM = 4;

  public byte[] encode() {
    ByteBuf out = Unpooled.buffer(256);
    out.writeInt(MAGIC).writeByte(VERSION).writeShort(0);
    Fields.put(out, fabric);
    Fields.put(out, nodeId);
    Fields.put(out, address.format());
    Fields.put(out, address.bytes());
    out.setShort(HEAD - 2, out.readableBytes() + CHECKSUM);
    out.writeInt(checksum(out));
    return ByteBufUtil.getBytes(out);
  }

  /** @throws RdmaException {@code PROTOCOL} if the bytes are none, of another version, or not all or not only those that were given out */
  public static EndDescription decode(byte[] bytes) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    if (bytes.length < HEAD || in.readInt() != MAGIC) {
      throw wrong(bytes.length + " bytes do not describe an end of vertx-rdma; give those that the peer's RdmaOffer.token() gave");
    }
    int version = in.readUnsignedByte();
    if (version != VERSION) {
      throw wrong("the description of the peer's end is of version " + version + ", this node knows version " + VERSION
        + "; run the same version of vertx-rdma on both");
    }
    int length = in.readUnsignedShort();
    if (bytes.length != length || length < HEAD + CHECKSUM) {
      throw wrong("the description of the peer's end is " + (bytes.length < length ? "cut short" : "longer than it says") + ": "
        + bytes.length + " bytes, not " + length);
    }
    if (in.getInt(length - CHECKSUM) != checksum(in.slice(0, length - CHECKSUM))) {
      throw wrong("the description of the peer's end was changed on its way: its checksum is wrong; carry it as bytes, not as text");
    }
    try {
      return new EndDescription(Fields.text(in), Fields.nodeId(in), EndpointAddress.of(Fields.text(in), Fields.bytes(in)));
    } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
      throw wrong("the description of the peer's end is malformed: " + e.getMessage());
    }
  }

  private static RdmaException wrong(String why) {
    return new RdmaException(Reason.PROTOCOL, why);
  }

  private static int checksum(ByteBuf bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes.nioBuffer());
    return (int) checksum.getValue();
  }
}
