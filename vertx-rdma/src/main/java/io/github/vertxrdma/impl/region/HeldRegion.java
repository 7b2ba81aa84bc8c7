package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RemoteRegion;

/** A region opened by or granted to this side. */
public interface HeldRegion extends RemoteRegion {

  /** Runs a task on a link's loop when the region is closed, revoked or lost. */
  void whenOver(Runnable task);
}
