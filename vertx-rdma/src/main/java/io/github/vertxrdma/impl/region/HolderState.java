package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.wire.RegionFrames;

/** States of a region's handle at its holder, with what becomes of the owner's frames in each. docs/protocol.adoc shows the table. */
public enum HolderState {
  /** None has it: it never was, or was given back a moment ago. */
  NONE(Effect.EXECUTED, Effect.ANSWERED, Effect.ANSWERED),
  /** Calls may begin. */
  OPEN(Effect.VIOLATION, Effect.EXECUTED, Effect.EXECUTED),
  /** The owner has changed the key, and chunks are under way with the old one. */
  REKEYING(Effect.VIOLATION, Effect.EXECUTED, Effect.VIOLATION),
  /** The owner has taken it back, and chunks are under way. */
  REVOKED(Effect.VIOLATION, Effect.VIOLATION, Effect.ANSWERED);

  private final Effect grant;
  private final Effect revoke;
  private final Effect rekey;

  HolderState(Effect grant, Effect revoke, Effect rekey) {
    this.grant = grant;
    this.revoke = revoke;
    this.rekey = rekey;
  }

  /** Tells what becomes of a frame that names the handle. @param type GRANT, REVOKE or REKEY */
  public Effect of(int type) {
    return type == RegionFrames.GRANT ? grant : type == RegionFrames.REVOKE ? revoke : rekey;
  }
}
