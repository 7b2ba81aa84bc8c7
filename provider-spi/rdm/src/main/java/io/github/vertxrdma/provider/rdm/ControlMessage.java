package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.FileMemory;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Message by which {@link RdmLayer} opens and ends connections. This class also reads and writes the prefix of the application's messages;
 * docs/protocol.adoc has the bytes.
 *
 * @param versions versions that the sender has; in a REP the chosen one. REQ and REFUSE are the same in every version
 * @param receiver connection id at the receiver; 0 in a REQ
 * @param receiverTag index of the connection at the receiver
 * @param epoch random number of the sender's {@link RdmEndpoint}
 * @param number the sender's tag in REQ and REP; in a DREQ the sequence number after its last message
 * @param address the sender's address; may be null
 */
record ControlMessage(MessageType type, VersionRange versions, long receiver, int receiverTag, long sender, long epoch, int number,
  EndpointAddress address, byte[] privateData) {
  static final VersionRange VERSIONS = new VersionRange(3, 3);
  private static final int LOWEST = VERSIONS.lowest();
  private static final int HIGHEST = VERSIONS.highest();
  static final int MAX_SIZE = 256;
  static final byte[] NOTHING = {};

  private static final int FIXED = RdmLayer.PREFIX + 8 + 8 + 4;
  static final int MAX_ADDRESS = MAX_SIZE - FIXED - 3 - RdmLayer.PRIVATE_DATA;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  static ControlMessage of(MessageType type, int version, long receiver, int receiverTag, long sender, long epoch, int number) {
    return new ControlMessage(type, VersionRange.only(version), receiver, receiverTag, sender, epoch, number, null, NOTHING);
  }

  static ControlMessage no(MessageType type, ControlMessage req, long epoch, byte[] privateData) {
    return new ControlMessage(type, VERSIONS, req.sender, req.number, 0, epoch, 0, null, privateData);
  }

  /** Returns the last part of the error message for a REFUSE. */
  static String refusal(EndpointAddress acceptor, VersionRange peer) {
    return VERSIONS.common(peer) != 0 ? ": no process listens at " + acceptor
      : ": cannot connect to " + acceptor + ": " + VERSIONS.refusal("the peer", "the protocol of connectionless endpoints", peer);
  }

  // Bytes of the prefix: connection id 8, type 1, version 1, tag 2, sequence 4. Control messages have the lowest version as sequence.
  // sequence.

  static long dataWord(int version, int tag, int sequence) {
    return (long) version << 48 | (long) tag << 32 | sequence & 0xffff_ffffL;
  }

  /** Writes a prefix. @return false if the memory is read-only, was freed, or is mapped from a file that was truncated */
  static boolean prefix(MemorySegment segment, long offset, long connectionId, long word) {
    try {
      if (segment.isMapped()) {
        return FileMemory.access(() -> write(segment, offset, connectionId, word));
      }
      return write(segment, offset, connectionId, word);
    } catch (UnsupportedOperationException | IllegalArgumentException | IllegalStateException e) {
      return false;
    }
  }

  private static boolean write(MemorySegment segment, long offset, long connectionId, long word) {
    segment.set(LONG, offset, connectionId);
    segment.set(LONG, offset + 8, word);
    return true;
  }

  static long connectionId(MemorySegment segment, long offset) {
    return segment.get(LONG, offset);
  }

  static long word(MemorySegment segment, long offset) {
    return segment.get(LONG, offset + 8);
  }

  static boolean isData(long word) {
    long version = word >>> 48;
    return version >= LOWEST && version <= HIGHEST;
  }

  static int version(long word) {
    return (int) (word >>> 48);
  }

  static int tag(long word) {
    return (int) (word >>> 32) & 0xffff;
  }

  static int sequence(long word) {
    return (int) word;
  }

  int senderTag() {
    return number & 0xffff;
  }

  byte[] encode() {
    return Cursor.writing(MAX_SIZE).i64(receiver).u8(type.ordinal()).u8(versions.highest()).u16(receiverTag).i32(versions.lowest())
      .i64(sender).i64(epoch).i32(number)
      .text(1, address == null ? "" : address.format()).block(1, address == null ? NOTHING : address.bytes()).block(1, privateData)
      .toArray();
  }

  /** Decodes a control message. @return null if the bytes are none, or one of a version that this side lacks */
  static ControlMessage decode(MemorySegment segment, long offset, long length) {
    if (length > MAX_SIZE) {
      return null;
    }
    Cursor in = Cursor.reading("a message", segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    try {
      long receiver = in.i64();
      MessageType type = MessageType.of(in.u8());
      int highest = in.u8();
      int receiverTag = in.u16();
      VersionRange versions = new VersionRange(in.i32(), highest);
      boolean known = type == MessageType.REQ || type == MessageType.REFUSE || VERSIONS.common(versions) != 0;
      if (!known || type == null || type == MessageType.DATA) {
        return null;
      }
      long sender = in.i64();
      long epoch = in.i64();
      int number = in.i32();
      String format = in.text(1);
      byte[] bytes = in.block(1);
      EndpointAddress address = format.isEmpty() ? null : EndpointAddress.of(format, bytes);
      return new ControlMessage(type, versions, receiver, receiverTag, sender, epoch, number, address, in.block(1));
    } catch (IllegalArgumentException e) {
      return null;
    }
  }
}
