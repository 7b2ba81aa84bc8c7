package io.github.vertxrdma.impl.region;

import io.github.vertxrdma.impl.wire.RegionFrames;

/** States of a region's handle at its owner, with what becomes of the holder's frames in each. docs/protocol.adoc shows the table. */
public enum OwnerState {
  /** Nobody has it: it never was, was given back, or was taken back. */
  NONE(Effect.REFUSED, Effect.IGNORED),
  /** Granted by a GRANT that the holder has not answered. */
  OFFERED(Effect.VIOLATION, Effect.VIOLATION),
  /** The holder uses it. */
  OPEN(Effect.EXECUTED, Effect.EXECUTED),
  /** The holder uses it, and has not answered a REKEY. */
  REKEYING(Effect.EXECUTED, Effect.EXECUTED),
  /** The holder finishes what it has under way, and has not answered a REVOKE. */
  REVOKING(Effect.EXECUTED, Effect.EXECUTED);

  private final Effect use;
  private final Effect close;

  OwnerState(Effect use, Effect close) {
    this.use = use;
    this.close = close;
  }

  /** Tells what becomes of a frame that names the handle. @param type NOTIFY, READ_DONE, ATOMIC, WRITE_NOTIFY or CLOSE */
  public Effect of(int type) {
    return type == RegionFrames.CLOSE ? close : use;
  }
}
