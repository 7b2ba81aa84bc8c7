package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.ProviderException;
import java.nio.ByteBuffer;

/** A peer's region: slot in its table and secret, base and length. */
final class NioRemoteMemory extends AbstractRemoteMemory {
  /** Slot (4 bytes) and secret (8 bytes). */
  static final int KEY_SIZE = 12;

  final int slot;
  final long secret;
  final long base;

  NioRemoteMemory(long base, long length, byte[] key) {
    super(length);
    if (key.length != KEY_SIZE || length < 0 || base < 0 || base + length < 0) {
      throw new ProviderException(ProviderException.Reason.INVALID, "remote memory of " + length + " bytes with a key of " + key.length
        + " bytes cannot be memory of fabric 'nio', whose keys have " + KEY_SIZE
        + ": take address, length and key from the owner's region");
    }
    ByteBuffer buffer = ByteBuffer.wrap(key);
    this.slot = buffer.getInt();
    this.secret = buffer.getLong();
    this.base = base;
  }

  static byte[] key(int slot, long secret) {
    return ByteBuffer.allocate(KEY_SIZE).putInt(slot).putLong(secret).array();
  }
}
