package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

final class RdmConnections {
  /** Number of tags, the indexes of connections. Tag 0 is not used, so one connection fewer is possible. */
  static final int TAGS = 1 << 16;
  /** Pause between two checks of connections with a deadline. */
  private static final long LOOK_NANOS = 1_000_000;
  /** Maximum number of ended connections and of answered requests that are remembered. */
  private static final int MOST_ENDED = 4096;
  /** Minimum pause between two RESETs for one connection: its peer may have many messages in flight. */
  private static final long RESET_PAUSE_NANOS = 100_000_000;

  private final ConnectedQueue queue;
  /** The last ended connections, to answer peers that still send messages for them. */
  private final Map<Long, Ended> ended = new Latest<>();
  final ConnectionRequests requests;
  /** Connections with a deadline. */
  final List<RdmConnection> awaited = new ArrayList<>();
  private RdmConnection[] tags = new RdmConnection[64];
  int size;
  private int lastTag;
  private long nextLook;

  private static final class Ended {
    final EndpointAddress address;
    final long remoteId;
    final int remoteTag;
    final int version;
    long nextReset;

    Ended(RdmConnection connection, long now) {
      address = connection.remote;
      remoteId = connection.remoteId;
      remoteTag = connection.remoteTag;
      version = connection.version;
      nextReset = now;
    }
  }

  /** Map by connection id that keeps the last {@value #MOST_ENDED} entries. */
  static final class Latest<V> extends LinkedHashMap<Long, V> {
    private static final long serialVersionUID = 1;

    @Override
    protected boolean removeEldestEntry(Map.Entry<Long, V> eldest) {
      return size() > MOST_ENDED;
    }
  }

  RdmConnections(ConnectedQueue queue) {
    this.queue = queue;
    requests = new ConnectionRequests(queue);
    nextLook = queue.domain.now();
  }

  RdmConnection tagged(int tag) {
    return tag < tags.length ? tags[tag] : null;
  }

  RdmConnection find(int tag, long id) {
    RdmConnection connection = tagged(tag);
    return connection != null && connection.id == id ? connection : null;
  }

  int handshakes() {
    return (int) awaited.stream().filter(connection -> connection.handshake != null).count();
  }

  void checkRoom() {
    if (size == TAGS - 1) {
      throw new ProviderException(Reason.LIMIT, queue.domain.name() + ": cannot open a connection: its event loop already has "
        + size + " connections, the maximum. Use more event loops.");
    }
  }

  /** Assigns an id and a tag. A tag is reused as late as possible: operations of its earlier connection may be in flight. */
  void add(RdmConnection connection) {
    do {
      lastTag = lastTag + 1 & TAGS - 1;
    } while (lastTag == 0 || tagged(lastTag) != null);
    if (lastTag >= tags.length) {
      tags = Arrays.copyOf(tags, tags.length * 2);
    }
    tags[lastTag] = connection;
    size++;
    connection.id = queue.domain.random();
    connection.tag = lastTag;
    awaited.add(connection);
  }

  void remove(RdmConnection connection) {
    tags[connection.tag] = null;
    size--;
    awaited.remove(connection);
    ended.put(connection.id, new Ended(connection, queue.domain.now()));
    requests.ended(connection);
  }

  /** Repeats handshake messages, and ends handshakes after their deadline. */
  void poll() {
    if (awaited.isEmpty() && requests.open.isEmpty()) {
      return;
    }
    long now = queue.domain.now();
    if (now - nextLook >= 0) {
      nextLook = now + LOOK_NANOS;
      for (int i = awaited.size() - 1; i >= 0; i--) {
        awaited.get(i).tick(now);
      }
      requests.expire(now);
    }
  }

  void watchGaps() {
    for (RdmConnection each : tags) {
      if (each != null && each.heldHead >= 0) {
        each.watchGap();
      }
    }
  }

  void handle(ControlMessage message) {
    if (message.type() == MessageType.REQ) {
      requests.requested(message);
      return;
    }
    RdmConnection connection = find(message.receiverTag(), message.receiver());
    if (connection == null) {
      stray(message.type(), message.receiver(), message);
    } else if (connection.isFromPeer(message)) {
      connection.reactTo(message.type(), message);
    }
  }

  /**
   * Answers a message whose connection is not open.
   *
   * @param message null for a message of the application. A REP has the peer's id and tag, which an ended connection may not know
   */
  void stray(MessageType type, long id, ControlMessage message) {
    Ended connection = ended.get(id);
    SharedEndpoint shared = queue.endpoints.current;
    if (connection != null && shared != null && RdmConnectionState.ENDED.on(type) == RdmConnectionState.Reaction.RESET) {
      boolean namesSender = message != null && message.sender() != 0;
      long receiver = namesSender ? message.sender() : connection.remoteId;
      int tag = namesSender ? message.senderTag() : connection.remoteTag;
      long now = queue.domain.now();
      if (receiver != 0 && now - connection.nextReset >= 0) {
        connection.nextReset = now + RESET_PAUSE_NANOS;
        shared.answer(connection.address, ControlMessage.of(MessageType.RESET, connection.version, receiver, tag, id, shared.epoch, 0));
      }
    }
  }

  /**
   * Ends connections to an earlier process at the same address. A new {@link ControlMessage#epoch} proves that the earlier process has
   * ended, but only after a handshake: any host can send a REQ with the address of another host.
   */
  void endConnectionsOfEarlierProcess(RdmConnection later) {
    EndpointAddress address = later.remote;
    if (later.peer.renewed(later.remoteEpoch)) {
      for (RdmConnection each : tags.clone()) {
        if (each != null && address.equals(each.remote) && each.remoteId != 0 && each.remoteEpoch != later.remoteEpoch) {
          each.peerEnded(" is now the address of another process: the peer has ended");
        }
      }
    }
  }
}
