package io.github.vertxrdma.provider.devices.forward;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.Set;

public class ForwardingRegion implements MemoryRegion {
  private final MemoryRegion raw;

  protected ForwardingRegion(MemoryRegion raw) {
    this.raw = raw;
  }

  public final MemoryRegion raw() {
    return raw;
  }

  @Override
  public final MemorySegment segment() {
    return raw.segment();
  }

  @Override
  public final long size() {
    return raw.size();
  }

  @Override
  public final Set<Access> access() {
    return raw.access();
  }

  @Override
  public final boolean covers(long offset, long length) {
    return raw.covers(offset, length);
  }

  @Override
  public long remoteAddress() {
    return raw.remoteAddress();
  }

  @Override
  public byte[] remoteKey() {
    return raw.remoteKey();
  }

  @Override
  public void close() {
    raw.close();
  }
}
