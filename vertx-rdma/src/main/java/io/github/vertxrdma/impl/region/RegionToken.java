package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.provider.MemoryRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * All that a peer needs to use a region on one fabric; a secret.
 *
 * @param address what offsets count from, opaque
 * @param length bytes
 * @param key the remote key, opaque
 */
public record RegionToken(long address, long length, byte[] key) {

  static RegionToken of(MemoryRegion registration) {
    return new RegionToken(registration.remoteAddress(), registration.size(), registration.remoteKey());
  }

  /** Address 8 bytes, length 8, both little endian, then the key. */
  public byte[] encode() {
    return ByteBuffer.allocate(16 + key.length).order(ByteOrder.LITTLE_ENDIAN).putLong(address).putLong(length).put(key).array();
  }

  /** @throws IllegalArgumentException if these bytes are no token */
  public static RegionToken decode(byte[] bytes) {
    if (bytes.length < 16) {
      throw new IllegalArgumentException("a region token of " + bytes.length + " bytes; it has at least 16");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    return new RegionToken(in.getLong(), in.getLong(), Arrays.copyOfRange(bytes, 16, bytes.length));
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

  /** Without the key, which is a secret. */
  @Override
  public String toString() {
    return "token of " + length + " bytes";
  }
}
