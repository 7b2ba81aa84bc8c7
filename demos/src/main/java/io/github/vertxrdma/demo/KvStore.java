package io.github.vertxrdma.demo;

import io.github.vertxrdma.MemoryRegion;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A table of records in a region: a hash of the key says where to begin, and a place that is taken by another key sends on to the next.
 * Each record is published, so it can be read while it is written.
 */
final class KvStore {
  /** Bytes of a place: the record's header and key, a zero byte, value. */
  static final int PLACE = 256;
  static final int RECORD = PLACE - 16;

  private final MemoryRegion region;
  private final String[] keys;

  KvStore(MemoryRegion region) {
    this.region = region;
    this.keys = new String[places(region.size())];
  }

  static int places(long size) {
    return (int) (size / PLACE);
  }

  /** The offset at which to look for a key. @param attempt 0, then 1, … while other keys are found there */
  static long offset(String key, int attempt, int places) {
    return (long) Math.floorMod(key.hashCode() * 0x9e3779b9 + attempt, places) * PLACE;
  }

  /** The value in a record, null if it is of another key. */
  static String value(Buffer record, String key) {
    byte[] bytes = record.getBytes();
    byte[] wanted = (key + '\0').getBytes(StandardCharsets.UTF_8);
    return bytes.length >= wanted.length && Arrays.equals(bytes, 0, wanted.length, wanted, 0, wanted.length)
      ? new String(bytes, wanted.length, bytes.length - wanted.length, StandardCharsets.UTF_8) : null;
  }

  void put(String key, String value) {
    for (int attempt = 0; attempt < keys.length; attempt++) {
      long offset = offset(key, attempt, keys.length);
      int place = (int) (offset / PLACE);
      if (keys[place] == null || keys[place].equals(key)) {
        keys[place] = key;
        region.putRecord(offset, Buffer.buffer(key + '\0' + value));
        return;
      }
    }
    throw new IllegalStateException("the table is full");
  }

  /** As the owner finds it, for those who ask. */
  String get(String key) {
    for (int attempt = 0; attempt < keys.length; attempt++) {
      long offset = offset(key, attempt, keys.length);
      String there = keys[(int) (offset / PLACE)];
      if (there == null) {
        return null;
      }
      if (there.equals(key)) {
        Buffer record = Buffer.buffer(region.segment().asSlice(offset + 16, RECORD).toArray(ValueLayout.JAVA_BYTE));
        String padded = value(record, key);
        int end = padded.indexOf('\0');
        return end < 0 ? padded : padded.substring(0, end);
      }
    }
    return null;
  }
}
