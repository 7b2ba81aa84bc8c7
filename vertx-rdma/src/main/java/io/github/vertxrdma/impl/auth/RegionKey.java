package io.github.vertxrdma.impl.auth;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * What a peer needs to use a region on one fabric.
 *
 * @param address what offsets count from, {@link io.github.vertxrdma.provider.MemoryRegion#remoteAddress()}
 * @param length bytes
 * @param key {@link io.github.vertxrdma.provider.MemoryRegion#remoteKey()}; copied in and out
 */
public record RegionKey(long address, long length, byte[] key) {

  public RegionKey {
    key = key.clone();
  }

  @Override
  public byte[] key() {
    return key.clone();
  }

  /** Address (8), length (8), and the key to the end. */
  public byte[] encode() {
    return ByteBuffer.allocate(16 + key.length).putLong(address).putLong(length).put(key).array();
  }

  /** @throws IllegalArgumentException if it is too short */
  public static RegionKey decode(byte[] bytes) {
    if (bytes.length < 16) {
      throw new IllegalArgumentException("not a region key: " + bytes.length + " bytes");
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    return new RegionKey(in.getLong(), in.getLong(), Arrays.copyOfRange(bytes, 16, bytes.length));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegionKey that && address == that.address && length == that.length && Arrays.equals(key, that.key);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(encode());
  }

  /** Does not say the key, as it may be logged. */
  @Override
  public String toString() {
    return "key of " + length + " bytes";
  }
}
