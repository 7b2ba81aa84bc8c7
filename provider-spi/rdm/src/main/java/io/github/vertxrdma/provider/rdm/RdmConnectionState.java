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

/** States of a connection, and the reaction to each message; docs/protocol.adoc has the same table. */
enum RdmConnectionState {
  /** Without an id, so that no message can name the connection. */
  NEW(EndpointState.INIT, DROP, DROP, DROP, DROP, DROP, DROP, DROP, DROP),
  // @formatter:off: one column for each message.
  //                                    DATA       REQ     REP          REJ        REFUSE     RTU        DREQ   RESET
  /** Connecting side, before an answer. */
  REQ_SENT(EndpointState.CONNECTING,    VIOLATION, DROP,   ESTABLISH,   END,       END,       VIOLATION, END,   END),
  /** Accepting side, before RTU or a message. */
  REP_SENT(EndpointState.CONNECTING,    ESTABLISH, REPEAT, VIOLATION,   VIOLATION, VIOLATION, ESTABLISH, DRAIN, END),
  ESTABLISHED(EndpointState.CONNECTED,  DELIVER,   DROP,   ACKNOWLEDGE, VIOLATION, VIOLATION, DROP,      DRAIN, END),
  /** DREQ arrived before messages that the peer sent earlier. */
  DRAINING(EndpointState.BROKEN,        DELIVER,   DROP,   DROP,        DROP,      DROP,      DROP,      DROP,  DROP),
  /** Ended, but not yet closed by the application. */
  ENDED(EndpointState.BROKEN,           RESET,     DROP,   RESET,       DROP,      DROP,      DROP,      DROP,  DROP),
  CLOSED(EndpointState.CLOSED,          RESET,     DROP,   RESET,       DROP,      DROP,      DROP,      DROP,  DROP);
  // @formatter:on

  enum Reaction {
    DELIVER,
    /** Establishes the connection, and delivers a message of the application. */
    ESTABLISH,
    /** Sends RTU again. */
    ACKNOWLEDGE,
    /** Sends REP again. */
    REPEAT,
    DRAIN,
    END,
    RESET,
    /** Ignores a late or repeated message. */
    DROP,
    /** Ends the connection with an error. */
    VIOLATION
  }

  final EndpointState state;
  private final Reaction[] reactions;

  RdmConnectionState(EndpointState state, Reaction... reactions) {
    this.state = state;
    this.reactions = reactions;
  }

  Reaction on(MessageType type) {
    return reactions[type.ordinal()];
  }

  boolean isAlive() {
    return this != NEW && this != ENDED && this != CLOSED;
  }
}
