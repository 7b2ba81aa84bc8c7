package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.RegionFrames;

/** States of a region's handle at its owner, with the effects of frames from the holder, see docs/protocol.adoc. */
public enum OwnerState {
  NONE(Effect.REFUSED, Effect.IGNORED),
  OFFERED(Effect.VIOLATION, Effect.VIOLATION),
  OPEN(Effect.EXECUTED, Effect.EXECUTED),
  REKEYING(Effect.EXECUTED, Effect.EXECUTED),
  REVOKING(Effect.EXECUTED, Effect.EXECUTED);

  private final Effect use;
  private final Effect close;

  OwnerState(Effect use, Effect close) {
    this.use = use;
    this.close = close;
  }

  public Effect of(int type) {
    return type == RegionFrames.CLOSE ? close : use;
  }
}
