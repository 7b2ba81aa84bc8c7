package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.link.RegionFrames;

/** States of a region's handle at its holder, with the effects of frames from the owner, see docs/protocol.adoc. */
public enum HolderState {
  NONE(Effect.EXECUTED, Effect.ANSWERED, Effect.ANSWERED),
  OPEN(Effect.VIOLATION, Effect.EXECUTED, Effect.EXECUTED),
  REKEYING(Effect.VIOLATION, Effect.EXECUTED, Effect.VIOLATION),
  REVOKED(Effect.VIOLATION, Effect.VIOLATION, Effect.ANSWERED);

  private final Effect grant;
  private final Effect revoke;
  private final Effect rekey;

  HolderState(Effect grant, Effect revoke, Effect rekey) {
    this.grant = grant;
    this.revoke = revoke;
    this.rekey = rekey;
  }

  public Effect of(int type) {
    return type == RegionFrames.GRANT ? grant : type == RegionFrames.REVOKE ? revoke : rekey;
  }
}
