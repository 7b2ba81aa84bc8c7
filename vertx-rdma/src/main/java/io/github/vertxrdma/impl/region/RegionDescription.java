package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.impl.peers.EntryJson;
import java.nio.ByteOrder;
import java.util.Set;

/**
 * Description of a region that its owner sends to a peer that may use it (the holder).
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
 * @param handle identifies the region in the holder's frames
 * @param generation number of the key, which grows with each new key
 * @param authority executor of atomics, see {@link io.github.vertxrdma.directory.RegionEntry#authority}
 * @param token null if the holder knows it
 */
public record RegionDescription(long handle, String name, long size, Set<RegionAccess> access, String authority, int generation,
  RegionToken token) {

  RegionDescription withoutToken() {
    return new RegionDescription(handle, name, size, access, authority, generation, null);
  }

  public byte[] encode() {
    return Cursor.writing(128).order(ByteOrder.LITTLE_ENDIAN).i64(handle).i64(size).i32(generation).u8(EntryJson.bits(access)).text(2, name)
      .text(2, authority).block(2, token == null ? new byte[0] : token.encode()).toArray();
  }

  public static RegionDescription decode(byte[] bytes) {
    Cursor in = Cursor.reading("a region description", bytes).order(ByteOrder.LITTLE_ENDIAN);
    long handle = in.i64();
    long size = in.i64();
    int generation = in.i32();
    Set<RegionAccess> access = EntryJson.access(in.u8());
    String name = PeerText.of(in.text(2));
    String authority = PeerText.of(in.text(2));
    byte[] token = in.block(2);
    if (size <= 0) {
      throw new IllegalArgumentException("invalid size of a region: " + size + " bytes");
    }
    return new RegionDescription(handle, name, size, access, authority, generation, token.length == 0 ? null : RegionToken.decode(token));
  }
}
