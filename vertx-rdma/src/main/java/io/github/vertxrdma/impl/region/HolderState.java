package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.wire.RegionFrames;

/** States of a region's handle at its holder, and the effect of the owner's frames. The table is in docs/protocol.adoc. */
public enum HolderState {
  /** Unknown, or just closed. */
  NONE(Effect.EXECUTED, Effect.ANSWERED, Effect.ANSWERED),
  /** Calls may begin. */
  OPEN(Effect.VIOLATION, Effect.EXECUTED, Effect.EXECUTED),
  /** The owner has changed the key, and chunks with the old one are in flight. */
  REKEYING(Effect.VIOLATION, Effect.EXECUTED, Effect.VIOLATION),
  /** The owner has revoked the region, and chunks are in flight. */
  REVOKED(Effect.VIOLATION, Effect.VIOLATION, Effect.ANSWERED);

  private final Effect grant;
  private final Effect revoke;
  private final Effect rekey;

  HolderState(Effect grant, Effect revoke, Effect rekey) {
    this.grant = grant;
    this.revoke = revoke;
    this.rekey = rekey;
  }

  /** @param type GRANT, REVOKE or REKEY */
  public Effect of(int type) {
    return type == RegionFrames.GRANT ? grant : type == RegionFrames.REVOKE ? revoke : rekey;
  }
}
