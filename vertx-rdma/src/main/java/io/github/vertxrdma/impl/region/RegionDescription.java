package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;

/**
 * What the owner tells a holder of a region.
 *
 * <pre>
 *  0  handle          8 bytes
 *  8  size            8 bytes
 * 16  generation      4 bytes
 * 20  access          1 byte    bit per {@link RegionAccess} in the order of its constants
 * 21  name            length 2 bytes, UTF-8
 *     authority       length 2 bytes, UTF-8
 *     token           length 2 bytes, {@link RegionToken}; empty if the holder knows it
 * </pre>
 *
 * @param handle what the holder's frames name it by
 * @param generation of the key
 * @param authority who executes its atomics, see {@link io.github.vertxrdma.directory.RegionEntry#authority}
 * @param token null if the holder knows it
 */
public record RegionDescription(long handle, String name, long size, Set<RegionAccess> access, String authority, int generation,
  RegionToken token) {

  RegionDescription withoutToken() {
    return new RegionDescription(handle, name, size, access, authority, generation, null);
  }

  public byte[] encode() {
    byte[] nameBytes = name.getBytes(StandardCharsets.UTF_8);
    byte[] authorityBytes = authority.getBytes(StandardCharsets.UTF_8);
    byte[] tokenBytes = token == null ? new byte[0] : token.encode();
    int bits = 0;
    for (RegionAccess right : access) {
      bits |= 1 << right.ordinal();
    }
    ByteBuffer out = ByteBuffer.allocate(27 + nameBytes.length + authorityBytes.length + tokenBytes.length).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(handle).putLong(size).putInt(generation).put((byte) bits);
    out.putShort((short) nameBytes.length).put(nameBytes);
    out.putShort((short) authorityBytes.length).put(authorityBytes);
    out.putShort((short) tokenBytes.length).put(tokenBytes);
    return out.array();
  }

  /** @throws IllegalArgumentException if these bytes are none */
  public static RegionDescription decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
      long handle = in.getLong();
      long size = in.getLong();
      int generation = in.getInt();
      int bits = in.get();
      Set<RegionAccess> access = EnumSet.noneOf(RegionAccess.class);
      for (RegionAccess right : RegionAccess.values()) {
        if ((bits & 1 << right.ordinal()) != 0) {
          access.add(right);
        }
      }
      String name = new String(next(in), StandardCharsets.UTF_8);
      String authority = new String(next(in), StandardCharsets.UTF_8);
      byte[] token = next(in);
      if (size <= 0) {
        throw new IllegalArgumentException("a region of " + size + " bytes");
      }
      return new RegionDescription(handle, name, size, access, authority, generation, token.length == 0 ? null : RegionToken.decode(token));
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("a region description of " + bytes.length + " bytes is cut short", e);
    }
  }

  private static byte[] next(ByteBuffer in) {
    byte[] bytes = new byte[in.getShort() & 0xffff];
    in.get(bytes);
    return bytes;
  }
}
