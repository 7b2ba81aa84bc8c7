package io.github.vertxrdma.provider;

public abstract class AbstractRemoteMemory implements RemoteMemory {
  private final long length;
  private volatile boolean open = true;
  private boolean mapped = true;

  protected AbstractRemoteMemory(long length) {
    this.length = length;
  }

  @Override
  public final long length() {
    return length;
  }

  @Override
  public final boolean covers(long offset, long bytes) {
    return open && RemoteMemory.super.covers(offset, bytes);
  }

  /** Frees the fabric's resources. Called again by {@link #close} after an exception. */
  protected void unmap() {
  }

  @Override
  public final void close() {
    open = false;
    if (mapped) {
      unmap();
      mapped = false;
    }
  }
}
