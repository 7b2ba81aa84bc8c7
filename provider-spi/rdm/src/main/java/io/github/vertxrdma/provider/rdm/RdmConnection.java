package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;

final class RdmConnection {
  /** Time to wait for messages that the peer sent before its DREQ. */
  private static final long DRAIN_NANOS = 5_000_000_000L;
  /** Time to wait for a missing message after a message of an unknown connection was lost. */
  private static final long GAP_NANOS = 10_000_000_000L;

  private final ConnectedQueue queue;
  private final EndpointHandler handler;
  final ConnectedEndpoint endpoint;

  RdmHandshake handshake;
  RdmConnectionState state = RdmConnectionState.NEW;
  ProviderException failure;
  SharedEndpoint shared;
  EndpointAddress remote;
  /** Null before an accepting side answers, and after the last operation of a closed connection. */
  Peer peer;
  long id;
  int tag;
  long remoteId;
  long remoteEpoch;
  int remoteTag;
  /** Version of the protocol; the highest of this side until those of the peer are known. */
  int version = ControlMessage.VERSIONS.highest();

  int nextSequence;
  int expected;
  /** First slot in {@link ReorderBuffer}, and the number of slots that can be delivered. */
  int heldHead = -1;
  int ready;
  /** Maximum number of undelivered messages from the peer. */
  int granted;
  /** Sequence numbers: after the last message of the peer, and of the message that {@link #watchGap} waits for. */
  private int endSequence;
  private int gapSequence;
  private long deadline;

  RdmConnection(ConnectedQueue queue, ConnectedEndpoint endpoint, EndpointHandler handler, int granted) {
    this.queue = queue;
    this.endpoint = endpoint;
    this.handler = handler;
    this.granted = granted;
  }

  private long now() {
    return queue.domain.now();
  }

  void connect(EndpointAddress to, int millis, byte[] privateData) {
    checkNew("connect to ", to);
    queue.domain.checkPrivateData(privateData);
    queue.connections.checkRoom();
    shared = queue.endpoints.open(null);
    peer = shared.retain(to);
    remote = to;
    queue.connections.add(this);
    begin(RdmConnectionState.REQ_SENT, millis,
      new ControlMessage(MessageType.REQ, ControlMessage.VERSIONS, 0, 0, id, shared.epoch, tag, shared.address(), privateData.clone()));
  }

  void accept(ControlMessage req, int millis, byte[] privateData) {
    queue.connections.checkRoom();
    shared = queue.endpoints.open(null);
    remote = req.address();
    learn(req);
    queue.connections.add(this);
    queue.connections.requests.accepted(req, this);
    begin(RdmConnectionState.REP_SENT, millis,
      new ControlMessage(MessageType.REP, VersionRange.only(version), remoteId, remoteTag, id, shared.epoch, tag, null,
        privateData.clone()));
  }

  void checkNew(String what, EndpointAddress who) {
    if (state != RdmConnectionState.NEW) {
      throw new IllegalStateException(queue.domain.name() + ": cannot " + what + who + " with an endpoint in state " + state.state);
    }
  }

  private void begin(RdmConnectionState first, int millis, ControlMessage message) {
    state = first;
    long now = now();
    handshake = new RdmHandshake(this, message, millis, now);
    handshake.tick(now);
  }

  private void learn(ControlMessage message) {
    remoteId = message.sender();
    remoteEpoch = message.epoch();
    remoteTag = message.senderTag();
    version = ControlMessage.VERSIONS.common(message.versions());
  }

  private void establish(byte[] privateData) {
    state = RdmConnectionState.ESTABLISHED;
    handshake = null;
    shared.known(peer);
    queue.connections.awaited.remove(this);
    queue.connections.endConnectionsOfEarlierProcess(this);
    queue.arrivals.add(() -> {
      if (state != RdmConnectionState.CLOSED) {
        handler.connected(endpoint, privateData);
      }
    });
  }

  void tick(long now) {
    if (handshake != null) {
      handshake.tick(now);
    } else if (state == RdmConnectionState.ESTABLISHED) {
      tickGap(now);
    } else if (now - deadline >= 0) {
      finish(failure, false);
    }
  }

  /** Returns whether a message comes from the peer's end of this connection. REJ and REFUSE do not name that end. */
  boolean isFromPeer(ControlMessage message) {
    return remoteId == 0 || message.sender() == remoteId || message.type() == MessageType.REJ || message.type() == MessageType.REFUSE;
  }

  /** Handles a message as the state requires. @return true if the caller must deliver the message, in order */
  boolean reactTo(MessageType type, ControlMessage message) {
    switch (state.on(type)) {
      case DELIVER -> {
        return true;
      }
      case ESTABLISH -> {
        if (type == MessageType.REP) {
          learn(message);
          establish(message.privateData());
          send(MessageType.RTU, 0);
        } else if (peer != null) {
          establish(ControlMessage.NOTHING);
          return true;
        }
      }
      case ACKNOWLEDGE -> send(MessageType.RTU, 0);
      case REPEAT -> handshake.repeat();
      case DRAIN -> {
        if (state == RdmConnectionState.REP_SENT && peer != null) {
          establish(ControlMessage.NOTHING);
        }
        drain(message.number());
      }
      case END -> ended(type, message);
      case VIOLATION -> fail(Reason.OTHER, " sent " + type + ", which is not allowed in state " + state + ": the connection has "
        + "ended", true);
      default -> {
      }
    }
    return false;
  }

  private void send(MessageType type, int number) {
    shared.control.send(peer, ControlMessage.of(type, version, remoteId, remoteTag, id, shared.epoch, number), null,
      ControlSender.SINGLE_MESSAGE_MILLIS);
  }

  /** Returns whether the peer was granted receives for a message this many ahead of the expected one. */
  boolean mayBeAhead(int ahead) {
    return ahead >= 0 && ahead < granted - ready;
  }

  void advance() {
    expected++;
    advanceHeld();
  }

  void advanceHeld() {
    queue.reorder.advance(this);
    if (state == RdmConnectionState.DRAINING && expected == endSequence) {
      finish(failure, false);
    }
  }

  void tooLong() {
    fail(Reason.INVALID, " sent a message that was longer than the receive that was posted, or the file of the receive was truncated:"
      + " the connection has ended", true);
  }

  void outOfSequence(int sequence) {
    fail(Reason.OTHER, " sent message " + sequence + ", but message " + expected + " was expected, and " + granted + " receives "
      + "were granted to it: the connection has ended", true);
  }

  /** Waits for a missing message. If the message does not arrive in time, it was lost, and the connection ends. */
  void watchGap() {
    if (deadline == 0) {
      gapSequence = expected;
      await(GAP_NANOS);
    }
  }

  private void await(long nanos) {
    if (deadline == 0) {
      queue.connections.awaited.add(this);
    }
    deadline = now() + nanos;
  }

  private void tickGap(long now) {
    if (expected != gapSequence && heldHead >= 0) {
      // Another message is missing.
      gapSequence = expected;
      deadline = now + GAP_NANOS;
    } else if (expected != gapSequence || now - deadline >= 0) {
      deadline = 0;
      queue.connections.awaited.remove(this);
      if (expected == gapSequence) {
        tooLong();
      }
    }
  }

  /** Ends the connection after the peer's last message. @param sequence the number after that message */
  private void drain(int sequence) {
    failure = because(Reason.DISCONNECTED, " disconnected");
    if (state != RdmConnectionState.ESTABLISHED || expected == sequence) {
      finish(failure, false);
    } else {
      state = RdmConnectionState.DRAINING;
      endSequence = sequence;
      await(DRAIN_NANOS);
    }
  }

  private void ended(MessageType type, ControlMessage message) {
    switch (type) {
      case REJ -> fail(new ProviderException(Reason.REJECTED, 0, queue.domain.name() + ": " + remote + " rejected the connection",
        message.privateData(), null), false);
      case REFUSE -> fail(new ProviderException(Reason.REFUSED, queue.domain.name() + ControlMessage.refusal(remote, message.versions())),
        false);
      case DREQ -> drain(0);
      default -> fail(Reason.DISCONNECTED, " no longer knows the connection, which was closed or lost there", false);
    }
  }

  /** Ends the connection because the peer has ended. @param what end of the error message, after the peer's address */
  void peerEnded(String what) {
    if (state == RdmConnectionState.DRAINING) {
      finish(failure, false);
    } else {
      fail(Reason.DISCONNECTED, what, false);
    }
  }

  private ProviderException because(Reason reason, String what) {
    return new ProviderException(reason, queue.domain.name() + ": " + remote + what);
  }

  void fail(Reason reason, String what, boolean notify) {
    fail(because(reason, what), notify);
  }

  /** Ends the connection, unless it has ended or is draining. @param notify true to send the peer a DREQ */
  void fail(ProviderException cause, boolean notify) {
    if (state == RdmConnectionState.NEW || state.isAlive() && state != RdmConnectionState.DRAINING) {
      finish(cause, notify);
    }
  }

  private void finish(ProviderException cause, boolean notify) {
    end(RdmConnectionState.ENDED, notify);
    failure = cause;
    queue.departed(this, () -> {
      if (state != RdmConnectionState.CLOSED) {
        handler.disconnected(endpoint, cause);
      }
    });
  }

  private void end(RdmConnectionState to, boolean notify) {
    boolean alive = state.isAlive();
    state = to;
    handshake = null;
    if (alive) {
      queue.connections.remove(this);
      queue.reorder.discard(this);
      if (!notify) {
        shared.order.release(endpoint);
      }
      queue.quarantine.add(endpoint.outstanding(), endpoint.oneSided);
      if (notify && remoteId != 0 && peer != null) {
        send(MessageType.DREQ, nextSequence);
      }
    }
  }

  void close() {
    end(RdmConnectionState.CLOSED, state != RdmConnectionState.DRAINING);
    releasePeer();
  }

  void completed(boolean oneSided) {
    if (!state.isAlive()) {
      queue.quarantine.returned(oneSided);
      queue.quarantine.postpone(now());
      releasePeer();
    }
  }

  private void releasePeer() {
    if (state == RdmConnectionState.CLOSED && endpoint.outstanding() == 0 && peer != null) {
      shared.sends.forget(endpoint);
      shared.release(peer);
      peer = null;
    }
  }
}
