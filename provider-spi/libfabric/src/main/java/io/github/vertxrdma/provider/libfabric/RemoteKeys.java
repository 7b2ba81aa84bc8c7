package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities.KeyMode;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Memory;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Remote keys of one domain; fi_mr(3). Keys that this side chooses are random, so that peers cannot guess them and keys are not reused
 * soon. Peers receive a key as eight bytes, big-endian.
 */
final class RemoteKeys {
  private static final SecureRandom RANDOM = new SecureRandom();

  private final long keyBytes;

  RemoteKeys(long keyBytes) {
    this.keyBytes = Math.max(1, keyBytes);
  }

  static KeyMode mode(int mrMode) {
    return (mrMode & Fi.MR_PROV_KEY) != 0 ? KeyMode.PROVIDER : KeyMode.REQUESTED;
  }

  long request() {
    long bits = keyBytes >= Long.BYTES ? -1L >>> 1 : (1L << keyBytes * 8) - 1;
    return RANDOM.nextLong() & bits;
  }

  /** Returns the key of a region. {@code mr} is null if peers must not access the region; the key is then FI_KEY_NOTAVAIL of fi_mr(3). */
  static byte[] key(Fid mr) {
    return ByteBuffer.allocate(Long.BYTES).putLong(mr == null ? Fi.KEY_NOTAVAIL : Memory.getLong(mr.address() + Structs.MR_KEY)).array();
  }

  static FabricRemoteMemory map(FabricDomain owner, long address, long length, byte[] key) {
    if (key.length != Long.BYTES) {
      throw new ProviderException(ProviderException.Reason.INVALID, "invalid remote key of " + key.length + " bytes: keys of this "
        + "fabric have " + Long.BYTES);
    }
    return new FabricRemoteMemory(owner, address, length, ByteBuffer.wrap(key).getLong());
  }
}
