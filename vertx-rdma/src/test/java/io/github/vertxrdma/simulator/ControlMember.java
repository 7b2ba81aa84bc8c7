package io.github.vertxrdma.simulator;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlListener;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.vertx.core.buffer.Buffer;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A process with control connections in a {@link ControlConversation}, with its view of the directory, its links, and the state that it
 * shares with each peer. The state that a peer has received must not be older than the last teardown at this node.
 */
final class ControlMember implements ControlListener {
  static final int NUMBERED = 1;
  static final int SHARED = 2;

  static final class Sending {
    final int number;
    final BitSet failed = new BitSet();
    final BitSet taken = new BitSet();
    int messages;

    Sending(int number) {
      this.number = number;
    }
  }

  final String id;
  final SimulatedHost host;
  final ControlLinks links;
  final Map<String, NodeEntry> known = new HashMap<>();
  final Map<String, ControlLink> open = new HashMap<>();
  final Map<ControlLink, Sending> sending = new HashMap<>();
  final Map<ControlLink, int[]> received = new HashMap<>();
  /** The number of teardowns of the state shared with each node, and the last count that each node has sent. */
  final Map<String, Integer> torn = new HashMap<>();
  final Map<String, long[]> told = new HashMap<>();
  private final Map<String, Set<Long>> dead = new HashMap<>();
  private final ControlConversation world;
  NodeEntry self;
  boolean ended;
  boolean liar;

  ControlMember(ControlConversation world, String id, long epoch, SimulatedHost host, ControlSettings settings, ClusterSecret secret) {
    this.world = world;
    this.id = id;
    this.host = host;
    self = SimulatedHost.entry(id, epoch);
    links = new ControlLinks(host, settings, secret, () -> self).addListener(this).messageHandler(NUMBERED, this::numbered)
      .messageHandler(SHARED, this::shared);
  }

  @Override
  public void opened(ControlLink link) {
    world.trace.note("opened", host.number, link.epoch(), 0);
    ControlLink before = open.put(link.nodeId(), link);
    if (before != null && before.isOpen() || !link.isOpen()) {
      world.violated("node " + id + " has two connections with node " + link.nodeId() + ", or one that is closed");
    }
    dead.remove(link.nodeId());
    Sending messages = new Sending(world.sendings.size());
    world.sendings.add(messages);
    sending.put(link, messages);
    int[] closes = new int[1];
    link.closeHandler(cause -> {
      world.trace.note("closed", host.number, link.epoch(), 0);
      if (closes[0]++ > 0 || link.isOpen()) {
        world.violated("the close of " + link + " is told twice, or early");
      }
    });
  }

  @Override
  public void died(PeerDeath death) {
    world.trace.note("died", host.number, death.epoch(), (death.orderly() ? 1 : 0) + (death.certain() ? 2 : 0));
    world.trace.say(death);
    String peer = death.nodeId();
    torn.merge(peer, 1, Integer::sum);
    told.remove(peer);
    ControlLink link = open.get(peer);
    if (link != null && link.isOpen()) {
      dead.remove(peer);
    } else if (!dead.computeIfAbsent(peer, key -> new HashSet<>()).add(death.epoch())) {
      world.violated("node " + id + " hears twice that node " + peer + " is dead: " + death);
    }
    world.died(this, death);
    if (death.certain()) {
      known.remove(peer);
    }
  }

  boolean knowsDead(ControlLink link) {
    return dead.getOrDefault(link.nodeId(), Set.of()).contains(link.epoch());
  }

  int tornFrom(String peer) {
    return torn.getOrDefault(peer, 0);
  }

  /** Sends a message that must arrive once, complete and in order, or not at all if the link has ended. */
  void send(ControlLink link, int length) {
    Sending of = sending.get(link);
    int number = of.messages++;
    Buffer message = Buffer.buffer().appendInt(of.number).appendInt(number).appendBytes(new byte[length]);
    world.watch("send", this, link.send(NUMBERED, message), (nothing, cause) -> (cause == null ? of.taken : of.failed).set(number));
  }

  private void numbered(ControlLink link, Buffer message) {
    if (world.isExcused(this, link.nodeId())) {
      return;
    }
    int[] last = received.computeIfAbsent(link, key -> new int[] {message.getInt(0), -1});
    int number = message.getInt(4);
    if (last[0] != message.getInt(0) || number <= last[1] || world.sendings.get(last[0]).failed.nextClearBit(last[1] + 1) < number) {
      world
        .violated("node " + id + " got message " + number + " of link " + message.getInt(0) + " behind " + last[1] + " of link " + last[0]);
    }
    last[1] = number;
  }

  void share(ControlLink link) {
    int count = tornFrom(link.nodeId());
    Buffer message = Buffer.buffer().appendLong(self.process().process()).appendInt(count);
    world.watch("share", this, link.send(SHARED, message), (nothing, cause) -> {
      if (cause == null && count != tornFrom(link.nodeId()) && link.isOpen()) {
        share(link);
      }
    });
  }

  private void shared(ControlLink link, Buffer message) {
    told.put(link.nodeId(), new long[] {message.getLong(0), message.getInt(8)});
  }

  String process() {
    return id + '/' + self.process().process();
  }

  @Override
  public String toString() {
    return id;
  }
}
