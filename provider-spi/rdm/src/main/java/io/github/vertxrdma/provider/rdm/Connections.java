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

  private final LayerQueue queue;
  private final ConnectionTable byId = new ConnectionTable();
  private final EndedConnections ended = new EndedConnections();
  /** Requests and accepted endpoints by the id that the peer's HELLO carried. */
  private final Map<Long, LayerRequest> requests = new HashMap<>();
  private final Map<Long, Link> accepted = new HashMap<>();
  private final List<Link> handshakes = new ArrayList<>();
  private Link[] tags = new Link[64];
  private int lastTag;

  Connections(LayerQueue queue) {
    this.queue = queue;
  }

  int handshakes() {
    return handshakes.size();
  }

  int size() {
    return byId.size();
  }

  Link of(long id) {
    return byId.get(id);
  }

  Link tagged(int tag) {
    return tag < tags.length ? tags[tag] : null;
  }

  /** Gives an link its id and tag. */
  void add(Link link) {
    long id = RANDOM.nextLong();
    while (id == 0 || byId.get(id) != null) {
      id = RANDOM.nextLong();
    }
    link.identify(id, takeTag(link));
    byId.put(id, link);
    handshakes.add(link);
  }

  /** Tags are used in turn, so that one is not reused while a write of its last owner may be under way. */
  private int takeTag(Link link) {
    for (int tries = 0; tries < TAGS; tries++) {
      lastTag = lastTag + 1 & TAGS - 1;
      if (lastTag >= tags.length) {
        tags = Arrays.copyOf(tags, tags.length * 2);
      }
      if (lastTag != 0 && tags[lastTag] == null) {
        tags[lastTag] = link;
        return lastTag;
      }
    }
    throw new ProviderException(Reason.LIMIT, queue.domain().name() + ": " + (TAGS - 1) + " connections are open on one completion queue, "
      + "no more are possible: use another one");
  }

  void accepted(long helloId, Link link) {
    requests.remove(helloId);
    accepted.put(helloId, link);
  }

  /** The link has a deadline again. */
  void awaitEnd(Link link) {
    handshakes.add(link);
  }

  /** The handshake is over, well or not. */
  void settled(Link link) {
    handshakes.remove(link);
  }

  /** The endpoint's messages are not wanted any more. */
  void remove(Link link) {
    if (byId.get(link.id()) == link) {
      byId.remove(link.id());
      tags[link.tag()] = null;
      handshakes.remove(link);
      ended.add(link.id(), link.remoteAddress(), link.remoteId());
      if (accepted.remove(link.remoteId(), link)) {
        ended.answered(link.remoteId(), null);
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
    if (message.type() == ControlMessage.HELLO) {
      hello(message);
      return;
    }
    Link link = byId.get(message.receiver());
    if (link == null) {
      if (message.type() == ControlMessage.ACCEPT) {
        reset(message.receiver(), message.sender());
      }
      return;
    }
    switch (message.type()) {
      case ControlMessage.ACCEPT -> link.acceptedByPeer(message);
      case ControlMessage.REJECT, ControlMessage.REFUSE -> link.rejectedByPeer(message);
      case ControlMessage.READY -> link.peerReady();
      case ControlMessage.DISCONNECT -> link.peerDisconnected(message.tag());
      case ControlMessage.RESET -> link.peerReset();
      default -> {
      }
    }
  }

  private void hello(ControlMessage hello) {
    EndpointAddress address = hello.address();
    if (address == null || hello.sender() == 0 || hello.privateData().length > RdmLayer.PRIVATE_DATA) {
      return;
    }
    Link link = accepted.get(hello.sender());
    if (link != null) {
      link.repeatAccept();
    } else if (!requests.containsKey(hello.sender())) {
      if (ended.isAnswered(hello.sender())) {
        repeat(address, ended.answer(hello.sender()));
      } else if (queue.listener() == null) {
        repeat(address, ControlMessage.of(ControlMessage.REFUSE, hello.sender(), 0, queue.mux().epoch()));
      } else if (requests.size() < MOST_REQUESTS) {
        request(hello);
      }
    }
  }

  /**
   * Another epoch says that the process which was at the address before is gone, and its connections with it. Only a finished handshake
   * says so: anyone can send a HELLO in the name of another.
   */
  void endEarlierLife(EndpointAddress address, long epoch) {
    Peer peer = queue.mux().find(address);
    if (peer == null || !peer.renewed(epoch)) {
      return;
    }
    for (Link link : byId.all()) {
      if (address.equals(link.remoteAddress()) && link.remoteId() != 0 && link.remoteEpoch() != epoch) {
        link.peerRestarted();
      }
    }
  }

  private void request(ControlMessage hello) {
    Peer peer;
    try {
      peer = queue.mux().retainHeard(hello.address());
    } catch (ProviderException | IllegalArgumentException e) {
      // Not an address of this fabric: there is nobody to answer.
      return;
    }
    LayerRequest request = new LayerRequest(queue, queue.listener(), peer, hello);
    requests.put(hello.sender(), request);
    LayerListener listener = queue.listener();
    queue.arrived(() -> listener.deliver(request));
  }

  /** Ends a request with that answer, which copies of its HELLO get as well. */
  void answered(LayerRequest request, ControlMessage answer) {
    requests.remove(request.helloId());
    ended.answered(request.helloId(), answer);
    if (queue.mux() != null) {
      repeat(request.remoteAddress(), answer);
      queue.mux().release(request.peer());
    }
  }

  List<LayerRequest> openRequests() {
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
        send(connection.address, ControlMessage.of(ControlMessage.RESET, receiver, id, queue.mux().epoch()));
      }
    }
  }

  private void send(EndpointAddress address, ControlMessage message) {
    Multiplexer mux = queue.mux();
    Peer peer;
    try {
      peer = mux.retainHeard(address);
    } catch (ProviderException | IllegalArgumentException e) {
      return;
    }
    mux.control().send(peer, message, null, COURTESY_MILLIS);
    mux.release(peer);
  }
}
