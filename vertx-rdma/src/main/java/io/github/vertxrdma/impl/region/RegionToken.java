package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.base.Cursor;
import io.github.vertxrdma.provider.MemoryRegion;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Secret address and key with which a peer uses a region on one fabric.
 *
 * @param address remote address of offset 0
 */
public record RegionToken(long address, long length, byte[] key) {

  static RegionToken of(MemoryRegion registration) {
    return new RegionToken(registration.remoteAddress(), registration.size(), registration.remoteKey());
  }

  /** Returns the address and length (8 bytes each, little-endian), then the key. */
  public byte[] encode() {
    return Cursor.writing(16 + key.length).order(ByteOrder.LITTLE_ENDIAN).i64(address).i64(length).bytes(key).toArray();
  }

  public static RegionToken decode(byte[] bytes) {
    Cursor in = Cursor.reading("a region token", bytes).order(ByteOrder.LITTLE_ENDIAN);
    return new RegionToken(in.i64(), in.i64(), in.rest());
  }

  int checksum() {
    CRC32C crc = new CRC32C();
    crc.update(encode());
    return (int) crc.getValue();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegionToken that && address == that.address && length == that.length && Arrays.equals(key, that.key);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(address) * 31 + Arrays.hashCode(key);
  }

  /** Omits the secret key. */
  @Override
  public String toString() {
    return "token of " + length + " bytes";
  }
}
