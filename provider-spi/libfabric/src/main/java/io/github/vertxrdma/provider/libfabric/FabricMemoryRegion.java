package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.AbstractMemoryRegion;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.ffi.Memory;
import java.lang.foreign.MemorySegment;
import java.util.Set;

final class FabricMemoryRegion extends AbstractMemoryRegion {
  final FabricDomain domain;
  final long address;
  final long descriptor;
  /** True if the memory is mapped from a file. Native code must not read it, because a truncated file would end the process. */
  final boolean fromFile;
  final boolean localWrite;
  final boolean readSink;
  /** Native region, or null if the memory is not registered. */
  final Fid mr;
  private final long remoteAddress;
  private final byte[] remoteKey;
  volatile boolean open = true;

  FabricMemoryRegion(FabricDomain domain, MemorySegment segment, Set<Access> access, Fid mr) {
    super(segment, access);
    this.domain = domain;
    this.mr = mr;
    address = segment.address();
    fromFile = segment.isMapped();
    descriptor = mr == null ? 0 : Memory.getLong(mr.address() + Structs.MR_DESC);
    localWrite = access.contains(Access.LOCAL_WRITE);
    readSink = localWrite && !domain.readSinkNeeded() || access.contains(Access.READ_SINK);
    remoteAddress = domain.capabilities().addressBase() == Capabilities.AddressBase.VIRTUAL ? address : 0;
    remoteKey = RemoteKeys.key(mr);
  }

  @Override
  protected boolean isOpen() {
    return open;
  }

  @Override
  public long remoteAddress() {
    return remoteAddress;
  }

  @Override
  public byte[] remoteKey() {
    return remoteKey.clone();
  }

  @Override
  public void close() {
    if (domain.forget(this)) {
      open = false;
      if (mr != null) {
        mr.close();
      }
    }
  }

  @Override
  public String toString() {
    return size() + " bytes at 0x" + Long.toHexString(address);
  }
}
