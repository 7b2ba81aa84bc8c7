package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RemoteRegion;

/** Region opened by or granted to this side. */
public interface RemoteRegionInternal extends RemoteRegion {

  /** Runs a task on a link's loop after the end. */
  void whenClosed(Runnable task);
}
