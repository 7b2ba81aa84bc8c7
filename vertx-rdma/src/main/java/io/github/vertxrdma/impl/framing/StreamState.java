package io.github.vertxrdma.impl.framing;

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

/**
 * States of a stream of frames, from its endpoint's first step to its end, with the frames that mean something in each. Any other frame is
 * a violation, which ends the stream. docs/protocol.adoc shows the table.
 */
public enum StreamState {
  // Opening.
  /** The fabric is connecting the endpoint. */
  CONNECTING(0),
  /** Acceptor of an exchanged endpoint, which waits for what the fabric did not carry. */
  REQUEST_AWAITED(Frame.set(CREDIT, REQUEST)),
  /** Connector of an exchanged endpoint, which has sent its request. */
  ACCEPT_AWAITED(Frame.set(CREDIT, ACCEPT, WELCOME)),
  /** Acceptor, which waits for the connector's proof. */
  HELLO_AWAITED(Frame.set(CREDIT, HELLO)),
  /** Connector, which has sent its proof. */
  WELCOME_AWAITED(Frame.set(CREDIT, WELCOME)),
  /** Acceptor whose application decides. */
  DECIDING(Frame.set(CREDIT)),
  /** This side has refused the other, which is to end the endpoint. */
  REFUSED(Frame.set(CREDIT)),

  // The open link.
  /** Both sides send. */
  OPEN(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  /** This side was closed, and waits until the peer has all its messages. */
  FLUSHING(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),
  /** This side has sent CLOSE. */
  CLOSE_SENT(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE, CLOSE_ACK)),
  /** Both sides have sent CLOSE. */
  CLOSE_CROSSED(Sets.LIFE | Frame.set(CLOSE_ACK)),
  /** The peer has sent CLOSE, and some of its messages are still being read. */
  PEER_CLOSING(Sets.LIFE),
  /** This side has acknowledged the CLOSE of a peer that did not take all, and is to end the endpoint. */
  ACKNOWLEDGED(Sets.LIFE),

  /** The peer has ended without CLOSE. This side reads what the peer sent before, and sends nothing. */
  PEER_GONE(Sets.MESSAGES | Sets.LIFE | Frame.set(CLOSE)),

  /** Nothing is sent or received any more. */
  OVER(0);

  /** Sets of frames that belong together. */
  private static final class Sets {
    static final long MESSAGES = Frame.set(DATA, RTS, END);
    static final long REGIONS = (1L << REGION_TYPES) - 1 << REGION_BASE;
    static final long LIFE = Frame.set(CREDIT, ATS, RKEY, END_ACK, PING, PONG, WAKEABLE) | REGIONS;
  }

  /** Frames that mean something, see {@link Frame#isIn}. */
  public final long frames;

  StreamState(long frames) {
    this.frames = frames;
  }

  /** Returns whether the handshake is complete and the stream has not ended. */
  public boolean isOpen() {
    return ordinal() >= OPEN.ordinal() && this != OVER;
  }

  /** Returns whether neither side has sent CLOSE, and the stream has not ended. */
  public boolean isBeforeClose() {
    return this == OPEN || this == FLUSHING || this == PEER_GONE;
  }

  /** Returns whether this side may send frames. */
  boolean canSend() {
    return this != CONNECTING && this != PEER_GONE && this != OVER;
  }
}
