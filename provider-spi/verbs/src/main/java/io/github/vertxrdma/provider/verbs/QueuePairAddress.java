package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.ProviderException;

/**
 * Address of a queue pair, which its peer needs to connect.
 *
 * @param grhRequired whether packets need a global route header; only on InfiniBand
 * @param packetSequence random, so that late packets of an older connection do not match
 * @param partition P_Key with the membership bit
 * @param mtu code of enum ibv_mtu
 * @param reads maximum reads and atomics that the queue pair answers at a time
 */
record QueuePairAddress(int link, boolean grhRequired, int gidType, byte[] gid, int lid, int queuePair, int packetSequence, int partition,
  int mtu, int reads) {
  static final String FORMAT = "verbs-qp";
  private static final VersionRange VERSIONS = new VersionRange(2, 2);
  /** Bit of the encoded GID type that means grhRequired. On InfiniBand the type has no other meaning. */
  private static final int GRH_REQUIRED = 0x80;
  private static final int SIZE = 2 + 1 + 1 + 16 + 2 + 4 + 4 + 2 + 1 + 1;

  QueuePairAddress {
    // On Ethernet all packets have a global route header.
    grhRequired &= link == VerbsLayout.LINK_INFINIBAND;
  }

  byte[] encode() {
    return Cursor.writing(SIZE).u16(VERSIONS.word()).u8(link).u8(grhRequired ? gidType | GRH_REQUIRED : gidType).bytes(gid).u16(lid)
      .i32(queuePair)
      .i32(packetSequence).u16(partition)
      .u8(mtu).u8(reads).toArray();
  }

  static QueuePairAddress decode(byte[] bytes) {
    try {
      Cursor in = Cursor.reading("an address", bytes);
      VersionRange peer = VersionRange.of(in.u16());
      if (VERSIONS.common(peer) == 0) {
        throw new ProviderException(ProviderException.Reason.INVALID, VERSIONS.refusal("the peer", "the address of a queue pair", peer));
      }
      int link = in.u8();
      int type = in.u8();
      boolean grhRequired = link == VerbsLayout.LINK_INFINIBAND && (type & GRH_REQUIRED) != 0;
      return new QueuePairAddress(link, grhRequired, grhRequired ? type & ~GRH_REQUIRED : type, in.bytes(16), in.u16(), in.i32(), in.i32(),
        in.u16(), in.u8(), in.u8());
    } catch (IllegalArgumentException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, "the address of a queue pair must have " + SIZE + " bytes, but "
        + "has " + bytes.length);
    }
  }
}
