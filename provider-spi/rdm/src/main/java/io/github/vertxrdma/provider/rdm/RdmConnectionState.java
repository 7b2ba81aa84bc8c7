package io.github.vertxrdma.provider.rdm;

import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.ACKNOWLEDGE;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.DELIVER;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.DRAIN;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.DROP;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.END;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.ESTABLISH;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.REPEAT;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.RESET;
import static io.github.vertxrdma.provider.rdm.RdmConnectionState.Reaction.VIOLATION;

import io.github.vertxrdma.provider.EndpointState;

/** States of a connection, and the reaction to each message in each of them. docs/protocol.adoc has the same table. */
enum RdmConnectionState {
  /** Created; it has no id yet, so no message can be for it. */
  NEW(EndpointState.INIT, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP),
  // @formatter:off: one column for each message.
  //                                    DATA       REQ     REP          REJ        REFUSE     RTU        DREQ   RESET WRITE
  /** Connector that has sent REQ. */
  REQ_SENT(EndpointState.CONNECTING,    VIOLATION, DROP,   ESTABLISH,   END,       END,       VIOLATION, END,   END,  DROP),
  /** Acceptor that has sent REP. */
  REP_SENT(EndpointState.CONNECTING,    ESTABLISH, REPEAT, VIOLATION,   VIOLATION, VIOLATION, ESTABLISH, DRAIN, END,  ESTABLISH),
  /** Both ends know each other. */
  ESTABLISHED(EndpointState.CONNECTED,  DELIVER,   DROP,   ACKNOWLEDGE, VIOLATION, VIOLATION, DROP,      DRAIN, END,  DELIVER),
  /** The peer has sent DREQ, and earlier messages are still missing. */
  DRAINING(EndpointState.BROKEN,        DELIVER,   DROP,   DROP,        DROP,      DROP,      DROP,      DROP,  DROP, DELIVER),
  /** Ended, and not closed by the user. */
  OVER(EndpointState.BROKEN,            RESET,     DROP,   RESET,       DROP,      DROP,      DROP,      DROP,  DROP, DROP),
  CLOSED(EndpointState.CLOSED,          RESET,     DROP,   RESET,       DROP,      DROP,      DROP,      DROP,  DROP, DROP);
  // @formatter:on

  /** Reaction to a message. */
  enum Reaction {
    /** The message is delivered in its turn. */
    DELIVER,
    /** The connection is established; a message is delivered in its turn. */
    ESTABLISH,
    /** RTU is sent again. */
    ACKNOWLEDGE,
    /** REP is sent again. */
    REPEAT,
    /** The connection ends when the earlier messages are delivered. */
    DRAIN,
    /** The connection ends. */
    END,
    /** The peer is notified that the connection has ended. */
    RESET,
    /** None: the message is late, or a repetition. */
    DROP,
    /** The connection ends with an error that names the peer. */
    VIOLATION
  }

  private final EndpointState state;
  private final Reaction[] reactions;

  RdmConnectionState(EndpointState state, Reaction... reactions) {
    this.state = state;
    this.reactions = reactions;
  }

  /** Returns the state that users of the endpoint see. */
  EndpointState state() {
    return state;
  }

  Reaction on(MessageType type) {
    return reactions[type.ordinal()];
  }

  /** Returns whether it has begun and not ended. */
  boolean isAlive() {
    return this != NEW && this != OVER && this != CLOSED;
  }
}
