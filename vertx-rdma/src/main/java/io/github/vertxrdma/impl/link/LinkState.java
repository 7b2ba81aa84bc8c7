package io.github.vertxrdma.impl.link;

import java.util.EnumSet;
import java.util.Set;

/**
 * States of a link, each with the frame types that it allows and the states that may follow. Any other frame closes the link.
 * docs/protocol.adoc explains the states.
 */
public enum LinkState {
  CONNECTING(0),
  PROOF_AWAITED(Frame.set(Frame.CREDIT, Frame.REQUEST, Frame.ACCEPT, Frame.WELCOME)),
  GREETING_AWAITED(Frame.set(Frame.CREDIT, Frame.HELLO, Frame.WELCOME)),
  DECIDING(Frame.set(Frame.CREDIT, Frame.WELCOME)),

  OPEN(Sets.MESSAGES | Sets.LIFE | Frame.set(Frame.CLOSE)),
  FLUSHING(Sets.MESSAGES | Sets.LIFE | Frame.set(Frame.CLOSE)),
  CLOSE_SENT(Sets.MESSAGES | Sets.LIFE | Frame.set(Frame.CLOSE, Frame.CLOSE_ACK)),
  CLOSE_CROSSED(Sets.LIFE | Frame.set(Frame.CLOSE_ACK)),
  PEER_CLOSING(Sets.LIFE),
  ACKNOWLEDGED(Sets.LIFE),

  PEER_ENDED(Sets.MESSAGES | Sets.LIFE | Frame.set(Frame.CLOSE)),

  CLOSED(0);

  private static final class Sets {
    static final long MESSAGES = Frame.set(Frame.DATA, Frame.RTS, Frame.END);
    static final long REGIONS = (1L << Frame.REGION_TYPES) - 1 << Frame.REGION_BASE;
    static final long LIFE = Frame.set(Frame.CREDIT, Frame.ATS, Frame.RKEY, Frame.END_ACK, Frame.PING, Frame.PONG, Frame.WAKEABLE)
      | REGIONS;
  }

  public final long frames;

  LinkState(long frames) {
    this.frames = frames;
  }

  public static long framesOf(boolean connector) {
    return ~(connector ? Frame.set(Frame.REQUEST, Frame.HELLO) : Frame.set(Frame.ACCEPT, Frame.WELCOME));
  }

  /** Returns the states that may follow, besides {@link #CLOSED}. */
  public Set<LinkState> next() {
    return switch (this) {
      case CONNECTING -> EnumSet.of(PROOF_AWAITED, GREETING_AWAITED, DECIDING);
      case PROOF_AWAITED -> EnumSet.of(GREETING_AWAITED, DECIDING);
      case GREETING_AWAITED -> EnumSet.of(DECIDING, OPEN);
      case DECIDING -> EnumSet.of(CONNECTING, GREETING_AWAITED, OPEN);
      case OPEN -> EnumSet.of(FLUSHING, PEER_CLOSING, PEER_ENDED);
      case FLUSHING -> EnumSet.of(CLOSE_SENT, PEER_CLOSING, PEER_ENDED);
      case CLOSE_SENT -> EnumSet.of(CLOSE_CROSSED);
      case PEER_CLOSING -> EnumSet.of(CLOSE_CROSSED, ACKNOWLEDGED);
      case PEER_ENDED -> EnumSet.of(PEER_CLOSING);
      case CLOSE_CROSSED, ACKNOWLEDGED, CLOSED -> EnumSet.noneOf(LinkState.class);
    };
  }

  public boolean isOpen() {
    return ordinal() >= OPEN.ordinal() && this != CLOSED;
  }

  boolean isBeforeClose() {
    return this == OPEN || this == FLUSHING || this == PEER_ENDED;
  }
}
