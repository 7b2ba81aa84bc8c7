package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.devices.forward.ForwardingRegion;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import java.nio.ByteBuffer;

/**
 * A region with a key of four bytes. The rest of the wrapped region's key is the upper half of the address, which only the provider
 * interprets. So a region has at most 4 GiB, and addresses do not begin at 0.
 */
final class EfaRegion extends ForwardingRegion {
  /** Maximum number of regions, low so that tests reach it. */
  static final int MOST = 1000;
  static final int KEY_SIZE = Integer.BYTES;
  static final long MAX_SIZE = 1L << Integer.SIZE;
  private static final long LOW = MAX_SIZE - 1;

  private final Runnable closed;

  private EfaRegion(MemoryRegion raw, Runnable closed) {
    super(raw);
    this.closed = closed;
  }

  static MemoryRegion unwrap(MemoryRegion region) {
    return region instanceof EfaRegion own ? own.raw() : region;
  }

  static RemoteMemory remote(RdmDomain behind, long remoteAddress, long length, byte[] key) {
    if (key.length != KEY_SIZE) {
      throw new ProviderException(ProviderException.Reason.INVALID, ProfileProvider.EFA
        + ": invalid remote key of " + key.length + " bytes: keys of this fabric have " + KEY_SIZE);
    }
    long low = ByteBuffer.wrap(key).getInt() & LOW;
    return behind.remoteMemory(remoteAddress & LOW, length,
      ByteBuffer.allocate(Long.BYTES).putLong(remoteAddress & ~LOW | low).array());
  }

  /**
   * @param closed called when the region is closed, maybe several times
   *
   * @throws ProviderException {@code UNSUPPORTED} if keys or addresses of the wrapped device do not fit
   */
  static EfaRegion of(MemoryRegion raw, Runnable closed) {
    if (raw.remoteKey().length != Long.BYTES || raw.remoteAddress() != 0) {
      raw.close();
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, ProfileProvider.EFA
        + ": cannot use the device under this profile: its keys must have 8 bytes, and its addresses must be offsets in the region");
    }
    return new EfaRegion(raw, closed);
  }

  private long key() {
    return ByteBuffer.wrap(raw().remoteKey()).getLong();
  }

  @Override
  public long remoteAddress() {
    return key() & ~LOW;
  }

  @Override
  public byte[] remoteKey() {
    return ByteBuffer.allocate(KEY_SIZE).putInt((int) key()).array();
  }

  @Override
  public void close() {
    super.close();
    closed.run();
  }
}
