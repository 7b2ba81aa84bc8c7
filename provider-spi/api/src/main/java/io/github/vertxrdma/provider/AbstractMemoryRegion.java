package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;
import java.util.Set;

public abstract class AbstractMemoryRegion implements MemoryRegion {
  private final MemorySegment segment;
  private final long size;
  private volatile Set<Access> access;

  protected AbstractMemoryRegion(MemorySegment segment, Set<Access> access) {
    this.segment = segment;
    size = segment.byteSize();
    this.access = Set.copyOf(access);
  }

  protected abstract boolean isOpen();

  protected final void access(Set<Access> changed) {
    access = Set.copyOf(changed);
  }

  @Override
  public final boolean covers(long offset, long length) {
    return isOpen() && MemoryRegion.super.covers(offset, length);
  }

  @Override
  public final MemorySegment segment() {
    return segment;
  }

  @Override
  public final long size() {
    return size;
  }

  @Override
  public final Set<Access> access() {
    return access;
  }
}
