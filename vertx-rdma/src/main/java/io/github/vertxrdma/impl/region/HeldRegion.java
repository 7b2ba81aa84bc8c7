package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.RemoteRegion;

/** A region that this side holds: one that it opened or was granted. */
public interface HeldRegion extends RemoteRegion {

  /** Runs a task, on a link's loop, once it is over: closed by this side, taken back or lost. */
  void whenOver(Runnable task);
}
