package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.AbstractRemoteMemory;
import io.github.vertxrdma.provider.ProviderException;
import java.nio.ByteBuffer;

/** Memory region of a peer. Its key has the slot in the peer's {@link RegionTable} and a secret. */
public class SoftwareRemoteMemory extends AbstractRemoteMemory {
  public static final int KEY_SIZE = 12;

  private final int slot;
  private final long secret;
  private final long base;

  /** Decodes a key, which begins with the slot and ends with the secret. A key of 8 bytes has no slot. */
  public SoftwareRemoteMemory(String fabric, long base, long length, byte[] key, int keySize) {
    super(length);
    if (key.length != keySize || length < 0 || base < 0 || base + length < 0) {
      throw new ProviderException(ProviderException.Reason.INVALID, "remote memory of " + length + " bytes with a key of " + key.length
        + " bytes cannot be memory of fabric '" + fabric + "', whose keys have " + keySize + " bytes. Use the address, length and "
        + "key of the owner's region");
    }
    ByteBuffer buffer = ByteBuffer.wrap(key);
    this.slot = keySize > Long.BYTES ? buffer.getInt(0) : 0;
    this.secret = buffer.getLong(keySize - Long.BYTES);
    this.base = base;
  }

  public final int slot() {
    return slot;
  }

  public final long secret() {
    return secret;
  }

  public final long base() {
    return base;
  }
}
