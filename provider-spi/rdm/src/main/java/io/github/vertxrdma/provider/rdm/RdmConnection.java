package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;

/** The life of one connection: its ids, its handshake, its end. */
final class RdmConnection {
  private static final long FIRST_REPEAT_NANOS = 100_000_000;
  private static final long LAST_REPEAT_NANOS = 1_000_000_000;
  /** A fabric that says so often that nobody is there is believed before the time is up. */
  private static final int BELIEVED_ERRORS = 5;
  /** How long the last messages of a peer that said goodbye may take. */
  private static final long LAST_MESSAGES_NANOS = 5_000_000_000L;

  private final ConnectedQueue queue;
  private final ConnectedEndpoint endpoint;
  private final EndpointHandler handler;
  private EndpointState state = EndpointState.INIT;
  private ProviderException failure;
  private boolean told;
  private boolean ended;
  private boolean peerReleased;
  private SharedEndpoint shared;
  private Peer peer;
  private long id;
  private int tag;
  private long remoteId;
  private long remoteEpoch;
  private int remoteTag;

  /** Numbers of the next message to be sent, and of the next to be handed out. */
  int nextSequence;
  int expected;
  /** The first slot of {@link ReorderBuffer} that waits for its turn, and how many are ready to be handed out. */
  int heldHead = -1;
  int ready;
  /** The peer said goodbye; the end comes when its last message has. */
  private boolean ending;
  private int endSequence;
  private boolean gapWatched;
  private int gapSequence;

  /** What the handshake repeats until it is answered. */
  private ControlMessage repeated;
  private long nextRepeat;
  private long pause = FIRST_REPEAT_NANOS;
  private long deadline;
  private int timeoutMillis;
  private int errors;
  private String lastError;
  /** Messages of this connection that are with the control sender. */
  int controlsInFlight;

  RdmConnection(ConnectedQueue queue, ConnectedEndpoint endpoint, EndpointHandler handler) {
    this.queue = queue;
    this.endpoint = endpoint;
    this.handler = handler;
  }

  ConnectedEndpoint endpoint() {
    return endpoint;
  }

  EndpointState state() {
    return state;
  }

  ProviderException failure() {
    return failure;
  }

  void failure(ProviderException cause) {
    failure = cause;
  }

  SharedEndpoint shared() {
    return shared;
  }

  Peer peer() {
    return peer;
  }

  long id() {
    return id;
  }

  int tag() {
    return tag;
  }

  long remoteId() {
    return remoteId;
  }

  long remoteEpoch() {
    return remoteEpoch;
  }

  int remoteTag() {
    return remoteTag;
  }

  EndpointAddress localAddress() {
    return queue.shared() == null ? null : queue.shared().raw().localAddress();
  }

  EndpointAddress remoteAddress() {
    return peer == null ? null : peer.address();
  }

  void identify(long ownId, int ownTag) {
    id = ownId;
    tag = ownTag;
  }

  // Handshake.

  void connect(EndpointAddress remote, int millis, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(queue.domain().name() + ": connect to " + remote + " on an endpoint that is " + state);
    }
    queue.domain().checkPrivateData(privateData);
    shared = queue.requireShared();
    peer = shared.retain(remote);
    begin(millis);
    repeated = new ControlMessage(ControlMessage.REQ, 0, id, shared.epoch(), tag, shared.raw().localAddress(), privateData.clone());
    repeat(System.nanoTime());
  }

  /** @param to retained for this connection by the request */
  void accept(Peer to, ControlMessage req, int millis, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(queue.domain().name() + ": accept of " + to.address() + " with an endpoint that is " + state);
    }
    shared = queue.shared();
    peer = to;
    learn(req);
    begin(millis);
    queue.connections().accepted(req.sender(), this);
    repeated = new ControlMessage(ControlMessage.REP, remoteId, id, shared.epoch(), tag, null, privateData.clone());
    repeat(System.nanoTime());
  }

  private void begin(int millis) {
    queue.connections().add(this);
    state = EndpointState.CONNECTING;
    timeoutMillis = millis;
    deadline = System.nanoTime() + millis * 1_000_000L;
  }

  private void learn(ControlMessage message) {
    remoteId = message.sender();
    remoteEpoch = message.epoch();
    remoteTag = message.tag();
  }

  private void repeat(long now) {
    nextRepeat = now + pause;
    pause = Math.min(LAST_REPEAT_NANOS, pause * 2);
    // One at a time: the fabric delivers what it took, or says that it could not.
    if (controlsInFlight == 0) {
      shared.control().send(peer, repeated, this, timeoutMillis);
    }
  }

  /** Called with every poll while the handshake is under way. */
  void tick(long now) {
    if (ending) {
      if (now - deadline >= 0) {
        finishEnding();
      }
    } else if (state == EndpointState.CONNECTED) {
      tickGap(now);
    } else if (now - deadline >= 0) {
      Reason reason = errors > 0 ? Reason.REFUSED : Reason.TIMEOUT;
      fail(new ProviderException(reason, queue.domain().name() + ": " + peer.address() + " did not answer within " + timeoutMillis + " ms"
        + (lastError == null ? "" : " (" + lastError + ")") + ": is a process listening there, and is it polling its completion queue?"),
        false);
    } else if (now - nextRepeat >= 0) {
      repeat(now);
    }
  }

  void repeatReply() {
    if (state == EndpointState.CONNECTING && controlsInFlight == 0) {
      shared.control().send(peer, repeated, this, timeoutMillis);
    }
  }

  /** A message of the handshake could not be delivered. */
  void controlFailed(int status, String error) {
    lastError = error == null ? Status.name(status) : error;
    if (state == EndpointState.CONNECTING && ++errors >= BELIEVED_ERRORS) {
      fail(new ProviderException(Reason.REFUSED, queue.domain().name() + ": " + peer.address() + " cannot be reached (" + lastError
        + "); nobody listens there"), false);
    }
  }

  void replied(ControlMessage rep) {
    if (state == EndpointState.CONNECTING && remoteId == 0) {
      learn(rep);
      connected(rep.privateData());
    }
    if (state == EndpointState.CONNECTED && rep.sender() == remoteId) {
      shared.control().send(peer, ControlMessage.of(ControlMessage.RTU, remoteId, id, shared.epoch()), null, Connections.COURTESY_MILLIS);
    }
  }

  void rejected(ControlMessage message) {
    if (state == EndpointState.CONNECTING && remoteId == 0) {
      fail(message.type() == ControlMessage.REJ
        ? new ProviderException(Reason.REJECTED, 0, queue.domain().name() + ": " + peer.address() + " rejected the connection",
          message.privateData(), null)
        : new ProviderException(Reason.REFUSED, queue.domain().name() + ": nobody listens at " + peer.address()), false);
    }
  }

  /** RTU came, or a message: the peer has our REP. */
  void peerReady() {
    if (state == EndpointState.CONNECTING && remoteId != 0) {
      connected(ControlMessage.NOTHING);
    }
  }

  private void connected(byte[] privateData) {
    state = EndpointState.CONNECTED;
    // Only handshakes repeat theirs.
    repeated = null;
    queue.connections().settled(this);
    queue.connections().endEarlierLife(peer.address(), remoteEpoch);
    queue.arrived(() -> {
      if (state != EndpointState.CLOSED) {
        handler.connected(endpoint, privateData);
      }
    });
  }

  /** The message that was next is handed out, and what waited for it. */
  void advance() {
    expected++;
    queue.reorder().advance(this);
    if (ending && expected == endSequence) {
      finishEnding();
    }
  }

  void tooLong() {
    endpoint.counters().failed();
    fail(new ProviderException(Reason.INVALID, queue.domain().name() + ": a message of " + peer.address()
      + " was longer than the receive that was posted; the connection is over"), true);
  }

  void outOfSequence(int sequence) {
    fail(new ProviderException(Reason.OTHER, queue.domain().name() + ": " + peer.address() + " sent message " + sequence
      + " when " + expected + " was next; the connection is over"), true);
  }

  /** A message did not fit into its receive, of this connection or another: if the gap does not close, it was this one's. */
  void watchGap() {
    if (!gapWatched) {
      gapWatched = true;
      gapSequence = expected;
      deadline = System.nanoTime() + LAST_MESSAGES_NANOS;
      queue.connections().awaitEnd(this);
    }
  }

  private void tickGap(long now) {
    if (expected != gapSequence || now - deadline >= 0) {
      gapWatched = false;
      queue.connections().settled(this);
      if (expected == gapSequence) {
        tooLong();
      }
    }
  }

  // Ends.

  /** @param sequence the number after the peer's last message, of which some may still be under way */
  void peerDisconnected(int sequence) {
    if (ending) {
      return;
    }
    peerReady();
    ending = true;
    endSequence = sequence;
    if (expected == sequence || state != EndpointState.CONNECTED) {
      finishEnding();
    } else {
      state = EndpointState.BROKEN;
      failure = disconnectedByPeer();
      deadline = System.nanoTime() + LAST_MESSAGES_NANOS;
      queue.connections().awaitEnd(this);
    }
  }

  private void finishEnding() {
    end(state == EndpointState.CLOSED ? state : EndpointState.BROKEN, false);
    tell(failure == null ? disconnectedByPeer() : failure);
  }

  private ProviderException disconnectedByPeer() {
    return new ProviderException(Reason.DISCONNECTED, queue.domain().name() + ": " + peer.address() + " disconnected");
  }

  void peerReset() {
    fail(new ProviderException(Reason.DISCONNECTED, queue.domain().name() + ": " + peer.address()
      + " does not know the connection any more: it was closed or lost there"), false);
  }

  void peerRestarted() {
    fail(new ProviderException(Reason.DISCONNECTED, queue.domain().name() + ": another process is at " + peer.address()
      + " now: the peer is gone"), false);
  }

  void disconnect() {
    if (state != EndpointState.BROKEN && state != EndpointState.CLOSED) {
      fail(new ProviderException(Reason.DISCONNECTED, queue.domain().name() + ": disconnected by this side"), true);
    }
  }

  void peerDead(String reason) {
    if (ending && !told) {
      finishEnding();
      return;
    }
    fail(new ProviderException(Reason.DISCONNECTED, queue.domain().name() + ": " + remoteAddress() + " is dead: " + reason), false);
  }

  /** @param tell whether the peer may be there and should know */
  void fail(ProviderException cause, boolean tell) {
    if (state == EndpointState.BROKEN || state == EndpointState.CLOSED) {
      return;
    }
    end(EndpointState.BROKEN, tell);
    tell(cause);
  }

  private void tell(ProviderException cause) {
    if (!told) {
      told = true;
      failure = cause;
      queue.departed(this, () -> {
        if (state != EndpointState.CLOSED) {
          handler.disconnected(endpoint, cause);
        }
      });
    }
  }

  private void end(EndpointState to, boolean tell) {
    boolean known = remoteId != 0;
    state = to;
    if (peer == null) {
      return;
    }
    queue.connections().remove(this);
    queue.reorder().discard(this);
    if (!ended) {
      ended = true;
      queue.quarantine().add(endpoint.outstanding(), endpoint.oneSided());
    }
    if (tell && known) {
      shared.control().send(peer, ControlMessage.disconnect(remoteId, id, shared.epoch(), nextSequence), null, Connections.COURTESY_MILLIS);
    }
  }

  void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    if (state == EndpointState.BROKEN && told) {
      state = EndpointState.CLOSED;
    } else {
      end(EndpointState.CLOSED, true);
    }
    releasePeer();
  }

  /** An operation came back. */
  void completed(boolean oneSided) {
    if (ended) {
      queue.quarantine().returned(oneSided);
    }
    releasePeer();
  }

  /** After its last operation came back, the closed connection lets go of its peer. */
  private void releasePeer() {
    if (state == EndpointState.CLOSED && endpoint.outstanding() == 0 && peer != null && !peerReleased) {
      peerReleased = true;
      shared.release(peer);
    }
  }
}
