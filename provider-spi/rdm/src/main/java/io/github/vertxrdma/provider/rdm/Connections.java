package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ProviderException;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The connections of a completion queue: finds them, answers the layer's own messages, repeats those of handshakes. */
final class Connections {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int TAGS = 1 << 16;
  private static final int MOST_REQUESTS = 4096;
  /** How long a message that nobody waits for is tried. */
  static final long COURTESY_MILLIS = 1000;

  private final ConnectedQueue queue;
  private final ConnectionTable byId = new ConnectionTable();
  private final EndedConnections ended = new EndedConnections();
  /** Requests and accepted endpoints by the id that the peer's REQ carried. */
  private final Map<Long, RdmConnectionRequest> requests = new HashMap<>();
  private final Map<Long, RdmConnection> accepted = new HashMap<>();
  private final List<RdmConnection> handshakes = new ArrayList<>();
  private RdmConnection[] tags = new RdmConnection[64];
  private int lastTag;

  Connections(ConnectedQueue queue) {
    this.queue = queue;
  }

  int handshakes() {
    return handshakes.size();
  }

  int size() {
    return byId.size();
  }

  RdmConnection of(long id) {
    return byId.get(id);
  }

  RdmConnection tagged(int tag) {
    return tag < tags.length ? tags[tag] : null;
  }

  /** Gives a connection its id and tag. */
  void add(RdmConnection connection) {
    long id = RANDOM.nextLong();
    while (id == 0 || byId.get(id) != null) {
      id = RANDOM.nextLong();
    }
    connection.identify(id, takeTag(connection));
    byId.put(id, connection);
    handshakes.add(connection);
  }

  /** Tags are used in turn, so that one is not reused while a write of its last owner may be under way. */
  private int takeTag(RdmConnection connection) {
    for (int tries = 0; tries < TAGS; tries++) {
      lastTag = lastTag + 1 & TAGS - 1;
      if (lastTag >= tags.length) {
        tags = Arrays.copyOf(tags, tags.length * 2);
      }
      if (lastTag != 0 && tags[lastTag] == null) {
        tags[lastTag] = connection;
        return lastTag;
      }
    }
    throw new ProviderException(Reason.LIMIT, queue.domain().name() + ": " + (TAGS - 1) + " connections are open on one completion queue, "
      + "no more are possible: use another one");
  }

  void accepted(long reqId, RdmConnection connection) {
    requests.remove(reqId);
    accepted.put(reqId, connection);
  }

  /** The connection has a deadline again. */
  void awaitEnd(RdmConnection connection) {
    handshakes.add(connection);
  }

  /** The handshake is over, well or not. */
  void settled(RdmConnection connection) {
    handshakes.remove(connection);
  }

  /** The endpoint's messages are not wanted any more. */
  void remove(RdmConnection connection) {
    if (byId.get(connection.id()) == connection) {
      byId.remove(connection.id());
      tags[connection.tag()] = null;
      handshakes.remove(connection);
      ended.add(connection.id(), connection.remoteAddress(), connection.remoteId());
      if (accepted.remove(connection.remoteId(), connection)) {
        ended.answered(connection.remoteId(), null);
      }
    }
  }

  /** Repeats handshake messages and ends handshakes that take too long. */
  void poll() {
    if (!handshakes.isEmpty()) {
      long now = System.nanoTime();
      for (int i = handshakes.size() - 1; i >= 0; i--) {
        handshakes.get(i).tick(now);
      }
    }
  }

  /** Handles a message in a slot if it is the layer's own. @return false for a message of a connection */
  boolean control(SharedReceives receives, int slot, long length) {
    MemorySegment segment = receives.region(slot).segment();
    long offset = receives.offset(slot);
    byte type = ControlMessage.type(segment, offset);
    if (length >= RdmLayer.PREFIX && type == ControlMessage.DATA && ControlMessage.version(segment, offset) == ControlMessage.VERSION) {
      return false;
    }
    ControlMessage message = length < RdmLayer.PREFIX ? null : ControlMessage.decode(segment, offset, length);
    if (message != null) {
      handle(message);
    }
    return true;
  }

  private void handle(ControlMessage message) {
    if (message.type() == ControlMessage.REQ) {
      requested(message);
      return;
    }
    RdmConnection connection = byId.get(message.receiver());
    if (connection == null) {
      if (message.type() == ControlMessage.REP) {
        reset(message.receiver(), message.sender());
      }
      return;
    }
    switch (message.type()) {
      case ControlMessage.REP -> connection.replied(message);
      case ControlMessage.REJ, ControlMessage.REFUSE -> connection.rejected(message);
      case ControlMessage.RTU -> connection.peerReady();
      case ControlMessage.DREQ -> connection.peerDisconnected(message.tag());
      case ControlMessage.RESET -> connection.peerReset();
      default -> {
      }
    }
  }

  private void requested(ControlMessage req) {
    EndpointAddress address = req.address();
    if (address == null || req.sender() == 0 || req.privateData().length > RdmLayer.PRIVATE_DATA) {
      return;
    }
    RdmConnection connection = accepted.get(req.sender());
    if (connection != null) {
      connection.repeatReply();
    } else if (!requests.containsKey(req.sender())) {
      if (ended.isAnswered(req.sender())) {
        repeat(address, ended.answer(req.sender()));
      } else if (queue.listener() == null) {
        repeat(address, ControlMessage.of(ControlMessage.REFUSE, req.sender(), 0, queue.shared().epoch()));
      } else if (requests.size() < MOST_REQUESTS) {
        request(req);
      }
    }
  }

  /**
   * Another epoch says that the process which was at the address before is gone, and its connections with it. Only a finished handshake
   * says so: anyone can send a REQ in the name of another.
   */
  void endEarlierLife(EndpointAddress address, long epoch) {
    Peer peer = queue.shared().find(address);
    if (peer == null || !peer.renewed(epoch)) {
      return;
    }
    for (RdmConnection connection : byId.all()) {
      if (address.equals(connection.remoteAddress()) && connection.remoteId() != 0 && connection.remoteEpoch() != epoch) {
        connection.peerRestarted();
      }
    }
  }

  private void request(ControlMessage req) {
    Peer peer;
    try {
      peer = queue.shared().retainHeard(req.address());
    } catch (ProviderException | IllegalArgumentException e) {
      // Not an address of this fabric: there is nobody to answer.
      return;
    }
    RdmConnectionRequest request = new RdmConnectionRequest(queue, queue.listener(), peer, req);
    requests.put(req.sender(), request);
    RdmListener listener = queue.listener();
    queue.arrived(() -> listener.deliver(request));
  }

  /** Ends a request with that answer, which copies of its REQ get as well. */
  void answered(RdmConnectionRequest request, ControlMessage answer) {
    requests.remove(request.reqId());
    ended.answered(request.reqId(), answer);
    if (queue.shared() != null) {
      repeat(request.remoteAddress(), answer);
      queue.shared().release(request.peer());
    }
  }

  List<RdmConnectionRequest> openRequests() {
    return List.copyOf(requests.values());
  }

  private void repeat(EndpointAddress address, ControlMessage answer) {
    if (answer != null) {
      send(address, answer);
    }
  }

  /** A message for a connection that is not there. */
  void stray(long id) {
    reset(id, 0);
  }

  /** @param remoteId the peer's id if its message told, else 0 */
  private void reset(long id, long remoteId) {
    EndedConnections.Ended connection = ended.get(id);
    if (connection != null) {
      long receiver = remoteId != 0 ? remoteId : connection.remoteId;
      if (receiver != 0 && connection.tell()) {
        send(connection.address, ControlMessage.of(ControlMessage.RESET, receiver, id, queue.shared().epoch()));
      }
    }
  }

  private void send(EndpointAddress address, ControlMessage message) {
    SharedEndpoint shared = queue.shared();
    Peer peer;
    try {
      peer = shared.retainHeard(address);
    } catch (ProviderException | IllegalArgumentException e) {
      return;
    }
    shared.control().send(peer, message, null, COURTESY_MILLIS);
    shared.release(peer);
  }
}
