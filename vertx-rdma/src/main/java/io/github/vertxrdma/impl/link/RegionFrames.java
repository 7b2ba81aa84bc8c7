package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Frame types for remote memory regions, see docs/protocol.adoc. Each request gets one {@link #REPLY}. A handle is a random number, valid
 * on one link, that the region's owner chooses for each open and grant.
 */
public final class RegionFrames {
  public static final int OPEN = Frame.REGION_BASE;
  public static final int REPLY = Frame.REGION_BASE + 1;
  public static final int GRANT = Frame.REGION_BASE + 2;
  public static final int NOTIFY = Frame.REGION_BASE + 3;
  public static final int READ_DONE = Frame.REGION_BASE + 4;
  public static final int ATOMIC = Frame.REGION_BASE + 5;
  public static final int FLUSH = Frame.REGION_BASE + 6;
  public static final int REVOKE = Frame.REGION_BASE + 7;
  public static final int CLOSE = Frame.REGION_BASE + 8;
  public static final int REKEY = Frame.REGION_BASE + 9;
  public static final int WRITE_NOTIFY = Frame.REGION_BASE + 10;
  public static final int NOTIFIED = Frame.REGION_BASE + 11;

  public static final int INLINE_COUNT = 0xff;
  public static final int INLINE_HEAD = 16;

  public static final int ADD = 0;
  public static final int EXCHANGE = 1;

  public static final int OK = 0;
  public static final int NOT_FOUND = 1;
  public static final int REVOKED = 2;
  public static final int DENIED = 3;
  public static final int RANGE = 4;
  public static final int UNSUPPORTED = 5;
  public static final int REFUSED = 6;
  public static final int LIMIT = 7;

  private static final int ANY = Integer.MAX_VALUE;
  private static final String[] NAMES = {"OPEN", "REPLY", "GRANT", "NOTIFY", "READ_DONE", "ATOMIC", "FLUSH", "REVOKE", "CLOSE", "REKEY",
    "WRITE_NOTIFY", "NOTIFIED"};
  private static final int[] LEAST = {8, 0, 27, 24, 24, 24, 0, 0, 0, 20, INLINE_HEAD, 0};
  private static final int[] MOST = {8, ANY, ANY, 24, 24, 24, 0, 0, 0, ANY, ANY, 0};

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private RegionFrames() {
  }

  public static byte[] words(long first, long second, long third) {
    return payload(24).putLong(first).putLong(second).putLong(third).array();
  }

  public static byte[] writeNotify(long offset, long tag, int length) {
    return payload(INLINE_HEAD + length).putLong(offset).putLong(tag).array();
  }

  public static byte[] known(int generation, int checksum) {
    return payload(8).putInt(generation).putInt(checksum).array();
  }

  public static byte[] rekey(int generation, byte[] encoded) {
    return payload(4 + encoded.length).putInt(generation).put(encoded).array();
  }

  private static ByteBuffer payload(int size) {
    return ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
  }

  public static long word(MemorySegment m, int number) {
    return Frame.word(m, number * 8L);
  }

  public static int half(MemorySegment m, int number) {
    return m.get(INT, number * 4L);
  }

  public static byte[] bytes(MemorySegment m, long at, int length) {
    return m.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
  }

  public static String name(int type) {
    int number = type - Frame.REGION_BASE;
    return number < NAMES.length ? NAMES[number] : "frame " + type;
  }

  public static void check(int type, int length) {
    int number = type - Frame.REGION_BASE;
    if (number >= NAMES.length) {
      throw new IllegalArgumentException("the type of the frame is unknown");
    }
    if (length < LEAST[number] || length > MOST[number]) {
      throw new IllegalArgumentException(length + " bytes of payload, but " + (length < LEAST[number] ? "at least "
        + LEAST[number] + " are needed" : "at most " + MOST[number] + " are allowed"));
    }
  }
}
