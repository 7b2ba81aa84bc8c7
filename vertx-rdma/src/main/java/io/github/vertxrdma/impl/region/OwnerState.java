package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.RegionFrames;

/** States of a region's handle at its owner, with effects of the holder's frames, see docs/protocol.adoc. */
public enum OwnerState {
  /** Unknown, closed or revoked. */
  NONE(Effect.REFUSED, Effect.IGNORED),
  OFFERED(Effect.VIOLATION, Effect.VIOLATION),
  OPEN(Effect.EXECUTED, Effect.EXECUTED),
  /** In use; REKEY is unanswered. */
  REKEYING(Effect.EXECUTED, Effect.EXECUTED),
  /** The holder finishes chunks in flight. */
  REVOKING(Effect.EXECUTED, Effect.EXECUTED);

  private final Effect use;
  private final Effect close;

  OwnerState(Effect use, Effect close) {
    this.use = use;
    this.close = close;
  }

  /** @param type NOTIFY, READ_DONE, ATOMIC, WRITE_NOTIFY or CLOSE */
  public Effect of(int type) {
    return type == RegionFrames.CLOSE ? close : use;
  }
}
