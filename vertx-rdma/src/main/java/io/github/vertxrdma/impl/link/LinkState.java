package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.link.Frame.ACCEPT;
import static io.github.vertxrdma.impl.link.Frame.ATS;
import static io.github.vertxrdma.impl.link.Frame.CLOSE;
import static io.github.vertxrdma.impl.link.Frame.CLOSE_ACK;
import static io.github.vertxrdma.impl.link.Frame.CREDIT;
import static io.github.vertxrdma.impl.link.Frame.DATA;
import static io.github.vertxrdma.impl.link.Frame.END;
import static io.github.vertxrdma.impl.link.Frame.END_ACK;
import static io.github.vertxrdma.impl.link.Frame.HELLO;
import static io.github.vertxrdma.impl.link.Frame.PING;
import static io.github.vertxrdma.impl.link.Frame.PONG;
import static io.github.vertxrdma.impl.link.Frame.REGION_BASE;
import static io.github.vertxrdma.impl.link.Frame.REGION_TYPES;
import static io.github.vertxrdma.impl.link.Frame.REQUEST;
import static io.github.vertxrdma.impl.link.Frame.RKEY;
import static io.github.vertxrdma.impl.link.Frame.RTS;
import static io.github.vertxrdma.impl.link.Frame.WAKEABLE;
import static io.github.vertxrdma.impl.link.Frame.WELCOME;

import java.util.EnumSet;
import java.util.Set;

/**
 * States of a link, each with the frame types that it allows and the states that may follow. Any other frame closes the link.
 * docs/protocol.adoc explains the states.
 */
public enum LinkState {
  CONNECTING(0),
  PROOF_AWAITED(Frame.set(CREDIT, REQUEST, ACCEPT, WELCOME)),
  GREETING_AWAITED(Frame.set(CREDIT, HELLO, WELCOME)),
  DECIDING(Frame.set(CREDIT)),

  OPEN(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  FLUSHING(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  CLOSE_SENT(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE, CLOSE_ACK)),
  CLOSE_CROSSED(Sets.LIFE | Frame.set(CLOSE_ACK)),
  PEER_CLOSING(Sets.LIFE),
  ACKNOWLEDGED(Sets.LIFE),

  PEER_ENDED(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),

  CLOSED(0);

  private static final class Sets {
    static final long MESSAGES = Frame.set(DATA, RTS, END);
    static final long REGIONS = (1L << REGION_TYPES) - 1 << REGION_BASE;
    static final long LIFE = Frame.set(CREDIT, ATS, RKEY, END_ACK, PING, PONG, WAKEABLE) | REGIONS;
  }

  public final long frames;

  LinkState(long frames) {
    this.frames = frames;
  }

  public static long framesOf(boolean connector) {
    return ~(connector ? Frame.set(REQUEST, HELLO) : Frame.set(ACCEPT, WELCOME));
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

  boolean canSend() {
    return this != CONNECTING && this != PEER_ENDED && this != CLOSED;
  }
}
