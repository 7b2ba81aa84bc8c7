package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Capabilities.KeyMode;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ffi.Memory;
import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * Remote keys of one domain; fi_mr(3). Keys that this side chooses are random, so that peers cannot guess them and keys are not reused
 * soon. A key is sent to peers as eight bytes, big-endian. With FI_MR_RAW, eight bytes of the base address and the raw key are sent
 * instead.
 */
final class RemoteKeys {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int LARGEST_RAW = 256;

  private final Libfabric library;
  private final Fid domain;
  private final int mrMode;
  private final int keyBytes;

  RemoteKeys(Libfabric library, Fid domain, int mrMode, long keyBytes) {
    this.library = library;
    this.domain = domain;
    this.mrMode = mrMode;
    this.keyBytes = Math.clamp(keyBytes, 1, LARGEST_RAW);
  }

  static KeyMode mode(int mrMode) {
    return (mrMode & Fi.MR_RAW) != 0 ? KeyMode.RAW : (mrMode & Fi.MR_PROV_KEY) != 0 ? KeyMode.PROVIDER : KeyMode.REQUESTED;
  }

  KeyMode mode() {
    return mode(mrMode);
  }

  long request() {
    long bits = keyBytes >= Long.BYTES ? -1L >>> 1 : (1L << keyBytes * 8) - 1;
    return RANDOM.nextLong() & bits;
  }

  long remoteAddress(long address) {
    return (mrMode & Fi.MR_VIRT_ADDR) != 0 ? address : 0;
  }

  /** Returns the key of a region that peers must not access: FI_KEY_NOTAVAIL of fi_mr(3). */
  static byte[] none() {
    return ByteBuffer.allocate(Long.BYTES).putLong(Fi.KEY_NOTAVAIL).array();
  }

  byte[] key(Fid mr) {
    if (mode() != KeyMode.RAW) {
      return ByteBuffer.allocate(Long.BYTES).putLong(Memory.getLong(mr.address() + Structs.MR_KEY)).array();
    }
    long attr = Memory.allocate(Structs.ROOM);
    long base = attr + 64;
    long size = attr + 72;
    long raw = Memory.allocate(LARGEST_RAW);
    try {
      Memory.putLong(attr + Structs.RAW_BASE, base);
      Memory.putLong(attr + Structs.RAW_KEY, raw);
      Memory.putLong(attr + Structs.RAW_KEY_SIZE, size);
      Memory.putLong(size, LARGEST_RAW);
      FabricErrors.check(library, mr.control(Fi.GET_RAW_MR, attr), "fi_mr_raw_attr");
      byte[] bytes = Memory.getBytes(raw, Math.clamp(Memory.getLong(size), 0, LARGEST_RAW));
      return ByteBuffer.allocate(Long.BYTES + bytes.length).putLong(Memory.getLong(base)).put(bytes).array();
    } finally {
      Memory.free(raw);
      Memory.free(attr);
    }
  }

  FabricRemoteMemory map(FabricDomain owner, long address, long length, byte[] key) {
    return new FabricRemoteMemory(owner, address, length, map(key), this);
  }

  private long map(byte[] key) {
    if (mode() != KeyMode.RAW) {
      if (key.length != Long.BYTES) {
        throw new ProviderException(ProviderException.Reason.INVALID, "invalid remote key of " + key.length + " bytes: keys of this "
          + "fabric have " + Long.BYTES);
      }
      return ByteBuffer.wrap(key).getLong();
    }
    if (key.length <= Long.BYTES || key.length > Long.BYTES + LARGEST_RAW) {
      throw new ProviderException(ProviderException.Reason.INVALID, "invalid raw remote key of " + key.length + " bytes");
    }
    long map = Memory.allocate(Structs.ROOM);
    long raw = Memory.allocate(LARGEST_RAW);
    long mapped = map + 64;
    try {
      ByteBuffer buffer = ByteBuffer.wrap(key);
      Memory.putLong(map + Structs.MAP_BASE, buffer.getLong());
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      Memory.putBytes(raw, bytes);
      Memory.putLong(map + Structs.MAP_RAW_KEY, raw);
      Memory.putLong(map + Structs.MAP_KEY_SIZE, bytes.length);
      Memory.putLong(map + Structs.MAP_KEY, mapped);
      FabricErrors.check(library, domain.control(Fi.MAP_RAW_MR, map), "fi_mr_map_raw");
      return Memory.getLong(mapped);
    } finally {
      Memory.free(raw);
      Memory.free(map);
    }
  }

  void unmap(long key) {
    if (mode() == KeyMode.RAW) {
      long at = Memory.allocate(8);
      Memory.putLong(at, key);
      domain.control(Fi.UNMAP_KEY, at);
      Memory.free(at);
    }
  }
}
