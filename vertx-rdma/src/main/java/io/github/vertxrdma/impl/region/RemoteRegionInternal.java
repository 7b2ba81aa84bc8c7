package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RemoteRegion;
import java.time.Duration;

/** Region opened by or granted to this side. */
public interface RemoteRegionInternal extends RemoteRegion {

  @Override
  RemoteRegionInternal withTimeout(Duration timeout);

  void whenClosed(Runnable task);

  /** Sets the successor of this region and of its copies with another timeout. */
  void successor(Successor<RemoteRegion> successor);
}
