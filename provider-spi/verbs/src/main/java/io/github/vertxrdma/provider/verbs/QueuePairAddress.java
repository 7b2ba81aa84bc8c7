package io.github.vertxrdma.provider.verbs;

import io.github.vertxrdma.provider.ProviderException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What one side must know of the other's queue pair.
 *
 * @param link {@link VerbsLayout#LINK_INFINIBAND} or {@link VerbsLayout#LINK_ETHERNET}
 * @param gidType as in {@link Gid}; both ends must have the same
 * @param gid 16 bytes
 * @param lid 0 outside InfiniBand
 * @param packetSequence random, so that late packets of an older connection do not fit
 * @param partition P_Key by value; membership bit included
 * @param mtu active MTU of the port as ibv_mtu
 * @param reads reads and atomics it answers at once
 */
record QueuePairAddress(int link, int gidType, byte[] gid, int lid, int queuePair, int packetSequence, int partition, int mtu, int reads) {
  /** Format of the addresses that carry it. */
  static final String FORMAT = "verbs-qp";
  private static final byte VERSION = 1;
  private static final int SIZE = 1 + 1 + 1 + 16 + 2 + 4 + 4 + 2 + 1 + 1;

  byte[] encode() {
    return ByteBuffer.allocate(SIZE).put(VERSION).put((byte) link).put((byte) gidType).put(gid).putShort((short) lid).putInt(queuePair)
      .putInt(packetSequence).putShort((short) partition).put((byte) mtu).put((byte) reads).array();
  }

  static QueuePairAddress decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.get() != VERSION) {
        throw new ProviderException(ProviderException.Reason.INVALID,
          "the queue pair's address is of version " + bytes[0] + ", this side knows version " + VERSION);
      }
      int link = in.get();
      int gidType = in.get();
      byte[] gid = new byte[16];
      in.get(gid);
      return new QueuePairAddress(link, gidType, gid, in.getShort() & 0xffff, in.getInt(), in.getInt(), in.getShort() & 0xffff,
        in.get(), in.get() & 0xff);
    } catch (BufferUnderflowException e) {
      throw new ProviderException(ProviderException.Reason.INVALID, "a queue pair's address has " + SIZE + " bytes, not " + bytes.length);
    }
  }
}
