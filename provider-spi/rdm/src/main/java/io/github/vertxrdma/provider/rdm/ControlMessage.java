package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message of the layer's own. Big-endian: the prefix (receiver's connection id 8, type 1, version 1, zero 2, sequence 4), then the
 * sender's connection id (8), its epoch (8), its immediate tag (4), and with one byte of length before each: address format, address,
 * private data.
 *
 * @param type one of the constants
 * @param receiver connection id at the receiver; 0 in a REQ
 * @param sender connection id at the sender
 * @param epoch random number of the sender's raw endpoint
 * @param tag what the peer is to put in the upper part of the immediate of its writes; in a DREQ the sequence number after the
 *   last message
 * @param address where the sender is; null where it does not matter
 * @param privateData of the application
 */
record ControlMessage(byte type, long receiver, long sender, long epoch, int tag, EndpointAddress address, byte[] privateData) {
  static final byte DATA = 0;
  static final byte REQ = 1;
  static final byte REP = 2;
  /** The application said no. */
  static final byte REJ = 3;
  /** Nobody listens. */
  static final byte REFUSE = 4;
  static final byte RTU = 5;
  static final byte DREQ = 6;
  /** The connection that a message was for is over. */
  static final byte RESET = 7;

  static final byte VERSION = 1;
  static final int MAX_SIZE = 256;
  static final byte[] NOTHING = {};

  private static final int FIXED = RdmLayer.PREFIX + 8 + 8 + 4;
  /** Bytes of format and address that fit beside the private data. */
  static final int MAX_ADDRESS = MAX_SIZE - FIXED - 3 - RdmLayer.PRIVATE_DATA;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN);

  /** A message without address and private data. */
  static ControlMessage of(byte type, long receiver, long sender, long epoch) {
    return new ControlMessage(type, receiver, sender, epoch, 0, null, NOTHING);
  }

  /** The last message of a connection. @param sequence the number after that of the last data message */
  static ControlMessage disconnect(long receiver, long sender, long epoch, int sequence) {
    return new ControlMessage(DREQ, receiver, sender, epoch, sequence, null, NOTHING);
  }

  /** Writes the prefix of a data message. */
  static void prefix(MemorySegment segment, long offset, long connectionId, int sequence) {
    segment.set(LONG, offset, connectionId);
    segment.set(LONG, offset + 8, (long) VERSION << 48 | sequence & 0xffff_ffffL);
  }

  /** Counts the data messages of a connection in one direction. */
  static int sequence(MemorySegment segment, long offset) {
    return (int) segment.get(LONG, offset + 8);
  }

  /** Makes the place of a message to come look like none. */
  static void blank(MemorySegment segment, long offset) {
    segment.set(LONG, offset, 0);
    segment.set(LONG, offset + 8, 0);
  }

  static long connectionId(MemorySegment segment, long offset) {
    return segment.get(LONG, offset);
  }

  static byte type(MemorySegment segment, long offset) {
    return segment.get(ValueLayout.JAVA_BYTE, offset + 8);
  }

  static byte version(MemorySegment segment, long offset) {
    return segment.get(ValueLayout.JAVA_BYTE, offset + 9);
  }

  byte[] encode() {
    byte[] format = address == null ? NOTHING : address.format().getBytes(StandardCharsets.US_ASCII);
    byte[] bytes = address == null ? NOTHING : address.bytes();
    ByteBuffer buffer = ByteBuffer.allocate(FIXED + 3 + format.length + bytes.length + privateData.length);
    buffer.putLong(receiver).put(type).put(VERSION).putShort((short) 0).putInt(0).putLong(sender).putLong(epoch).putInt(tag);
    buffer.put((byte) format.length).put(format).put((byte) bytes.length).put(bytes).put((byte) privateData.length).put(privateData);
    return buffer.array();
  }

  /** Reads what a peer sent. @return null if it is no message of this version */
  static ControlMessage decode(MemorySegment segment, long offset, long length) {
    if (length < FIXED + 3 || length > MAX_SIZE) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE));
    long receiver = buffer.getLong();
    byte type = buffer.get();
    if (buffer.get() != VERSION) {
      return null;
    }
    buffer.position(RdmLayer.PREFIX);
    long sender = buffer.getLong();
    long epoch = buffer.getLong();
    int tag = buffer.getInt();
    try {
      byte[] format = take(buffer);
      byte[] bytes = take(buffer);
      byte[] privateData = take(buffer);
      EndpointAddress address = format.length == 0 ? null
        : EndpointAddress.of(new String(format, StandardCharsets.US_ASCII), bytes);
      if (address != null && address.format().equals(EndpointAddress.INET)) {
        address.toInet();
      }
      return new ControlMessage(type, receiver, sender, epoch, tag, address, privateData);
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      return null;
    }
  }

  private static byte[] take(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.get() & 0xff];
    buffer.get(bytes);
    return bytes;
  }

  @Override
  public String toString() {
    return "type " + type + " for " + Long.toHexString(receiver) + " from " + address + Arrays.toString(privateData);
  }
}
