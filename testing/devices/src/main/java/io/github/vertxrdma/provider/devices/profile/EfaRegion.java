package io.github.vertxrdma.provider.devices.profile;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.devices.forward.ForwardingRegion;
import io.github.vertxrdma.provider.rdm.RdmDomain;
import java.nio.ByteBuffer;

/**
 * A region with a key of four bytes. Where the device behind has larger keys, the rest travels in the upper half of the address, which is
 * opaque to all but the provider: so addresses count from a large number, as virtual ones do, and a region has 4 GiB at most.
 */
final class EfaRegion extends ForwardingRegion {
  /** Regions of a domain: few, as a device's are, so that tests reach the end of them. */
  static final int MOST = 1000;
  static final int KEY_SIZE = Integer.BYTES;
  static final long MAX_SIZE = 1L << Integer.SIZE;
  private static final long LOW = MAX_SIZE - 1;

  private final Runnable closed;

  private EfaRegion(MemoryRegion raw, Runnable closed) {
    super(raw);
    this.closed = closed;
  }

  /** The region behind. */
  static MemoryRegion unwrap(MemoryRegion region) {
    return region instanceof EfaRegion own ? own.raw() : region;
  }

  /** The memory that a peer described with {@link #remoteAddress} and {@link #remoteKey}. */
  static RemoteMemory remote(RdmDomain behind, long remoteAddress, long length, byte[] key) {
    if (key.length != KEY_SIZE) {
      throw new ProviderException(ProviderException.Reason.INVALID, ProfileProvider.EFA
        + ": a remote key of " + key.length + " bytes; this fabric's have " + KEY_SIZE);
    }
    long low = ByteBuffer.wrap(key).getInt() & LOW;
    return behind.remoteMemory(remoteAddress & LOW, length,
      ByteBuffer.allocate(Long.BYTES).putLong(remoteAddress & ~LOW | low).array());
  }

  /**
   * A region in front of another one.
   *
   * @param closed called when it is closed, maybe again
   * @throws ProviderException {@code UNSUPPORTED} if the device behind has keys or addresses that do not fit
   */
  static EfaRegion of(MemoryRegion raw, Runnable closed) {
    if (raw.remoteKey().length != Long.BYTES || raw.remoteAddress() != 0) {
      raw.close();
      throw new ProviderException(ProviderException.Reason.UNSUPPORTED, ProfileProvider.EFA
        + ": keys of the device behind must have 8 bytes, and its addresses count from 0");
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
