package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.base.Cursor;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.Set;

/**
 * Description of a region for a holder.
 *
 * <pre>
 *  0  handle          8 bytes
 *  8  size            8 bytes
 * 16  generation      4 bytes
 * 20  access          1 byte    bit per {@link RegionAccess}, in the order of its constants
 * 21  name            length 2 bytes, UTF-8
 *     authority       length 2 bytes, UTF-8
 *     token           length 2 bytes, {@link RegionToken}; empty if the holder knows it
 * </pre>
 *
 * @param handle in the holder's frames
 * @param generation of the key
 * @param authority executor of atomics, see {@link io.github.vertxrdma.directory.RegionEntry#authority}
 * @param token null if the holder knows it
 */
public record RegionDescription(long handle, String name, long size, Set<RegionAccess> access, String authority, int generation,
  RegionToken token) {

  RegionDescription withoutToken() {
    return new RegionDescription(handle, name, size, access, authority, generation, null);
  }

  public byte[] encode() {
    int bits = 0;
    for (RegionAccess right : access) {
      bits |= 1 << right.ordinal();
    }
    return Cursor.writing(128).order(ByteOrder.LITTLE_ENDIAN).i64(handle).i64(size).i32(generation).u8(bits).text(2, name)
      .text(2, authority).block(2, token == null ? new byte[0] : token.encode()).toArray();
  }

  public static RegionDescription decode(byte[] bytes) {
    Cursor in = Cursor.reading("a region description", bytes).order(ByteOrder.LITTLE_ENDIAN);
    long handle = in.i64();
    long size = in.i64();
    int generation = in.i32();
    int bits = in.u8();
    Set<RegionAccess> access = EnumSet.noneOf(RegionAccess.class);
    for (RegionAccess right : RegionAccess.values()) {
      if ((bits & 1 << right.ordinal()) != 0) {
        access.add(right);
      }
    }
    String name = in.text(2);
    String authority = in.text(2);
    byte[] token = in.block(2);
    if (size <= 0) {
      throw new IllegalArgumentException("a region of " + size + " bytes");
    }
    return new RegionDescription(handle, name, size, access, authority, generation, token.length == 0 ? null : RegionToken.decode(token));
  }
}
