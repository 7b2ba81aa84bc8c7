package io.github.vertxrdma.impl.link;

import static io.github.vertxrdma.impl.wire.Frame.ACCEPT;
import static io.github.vertxrdma.impl.wire.Frame.ATS;
import static io.github.vertxrdma.impl.wire.Frame.CLOSE;
import static io.github.vertxrdma.impl.wire.Frame.CLOSE_ACK;
import static io.github.vertxrdma.impl.wire.Frame.CREDIT;
import static io.github.vertxrdma.impl.wire.Frame.DATA;
import static io.github.vertxrdma.impl.wire.Frame.END;
import static io.github.vertxrdma.impl.wire.Frame.END_ACK;
import static io.github.vertxrdma.impl.wire.Frame.HELLO;
import static io.github.vertxrdma.impl.wire.Frame.PING;
import static io.github.vertxrdma.impl.wire.Frame.PONG;
import static io.github.vertxrdma.impl.wire.Frame.REGION_BASE;
import static io.github.vertxrdma.impl.wire.Frame.REGION_TYPES;
import static io.github.vertxrdma.impl.wire.Frame.REQUEST;
import static io.github.vertxrdma.impl.wire.Frame.RKEY;
import static io.github.vertxrdma.impl.wire.Frame.RTS;
import static io.github.vertxrdma.impl.wire.Frame.WAKEABLE;
import static io.github.vertxrdma.impl.wire.Frame.WELCOME;

import io.github.vertxrdma.impl.wire.Frame;

/** States of a stream of frames, each with the frame types that it allows, see docs/protocol.adoc. Any other frame closes the stream. */
public enum StreamState {
  // Handshake.
  CONNECTING(0),
  /** Acceptor of an exchanged endpoint. */
  REQUEST_AWAITED(Frame.set(CREDIT, REQUEST)),
  /** Connector of an exchanged endpoint, has sent REQUEST. */
  ACCEPT_AWAITED(Frame.set(CREDIT, ACCEPT, WELCOME)),
  /** Acceptor. */
  HELLO_AWAITED(Frame.set(CREDIT, HELLO)),
  /** Connector, has sent HELLO. */
  WELCOME_AWAITED(Frame.set(CREDIT, WELCOME)),
  /** Acceptor whose application decides. */
  DECIDING(Frame.set(CREDIT)),
  /** The peer has to close the endpoint. */
  REFUSED(Frame.set(CREDIT)),

  // Open link.
  OPEN(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  /** Closed here; waits until the peer has all messages. */
  FLUSHING(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  CLOSE_SENT(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE, CLOSE_ACK)),
  CLOSE_CROSSED(Sets.LIFE | Frame.set(CLOSE_ACK)),
  /** The peer has sent CLOSE, and its messages are still being read. */
  PEER_CLOSING(Sets.LIFE),
  /** Has acknowledged the CLOSE of a peer that did not take all messages. */
  ACKNOWLEDGED(Sets.LIFE),

  /** The peer ended without CLOSE. Only reads what it sent before. */
  PEER_ENDED(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),

  CLOSED(0);

  private static final class Sets {
    static final long MESSAGES = Frame.set(DATA, RTS, END);
    static final long REGIONS = (1L << REGION_TYPES) - 1 << REGION_BASE;
    static final long LIFE = Frame.set(CREDIT, ATS, RKEY, END_ACK, PING, PONG, WAKEABLE) | REGIONS;
  }

  /** See {@link Frame#isIn}. */
  public final long frames;

  StreamState(long frames) {
    this.frames = frames;
  }

  /** Returns whether the handshake is complete and the stream is not closed. */
  public boolean isOpen() {
    return ordinal() >= OPEN.ordinal() && this != CLOSED;
  }

  public boolean isBeforeClose() {
    return this == OPEN || this == FLUSHING || this == PEER_ENDED;
  }

  boolean canSend() {
    return this != CONNECTING && this != PEER_ENDED && this != CLOSED;
  }
}
