package io.github.vertxrdma.simulator;

import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlSettings;
import io.github.vertxrdma.impl.peers.ControlSocket;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.github.vertxrdma.simulator.world.Fault;
import io.github.vertxrdma.simulator.world.Simulation;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Nodes with control connections, determined by a seed. They look each other up in a directory that is late, loses changes and returns old
 * entries. They connect, send messages, leave, stop, die and come back, while connections are cut, reset and fall silent, many strangers
 * connect, and a peer lies.
 */
final class ControlConversation extends Simulation {
  private static final Logger QUIET = Logger.getLogger(ControlLinks.class.getName());
  private static final int CONNECT_MILLIS = 2_000;
  private static final int STRANGERS_OF_ONE = 64;
  private static final int STRANGERS = 256;
  private static final int LONGEST = 1 << 10;
  private static final long LONGEST_STOP = TimeUnit.MINUTES.toNanos(1);
  private static final ClusterSecret SECRET = secret(1);
  private static final ClusterSecret ANOTHER = secret(2);

  static {
    QUIET.setLevel(Level.OFF);
  }

  final List<ControlMember.Sending> sendings = new ArrayList<>();
  private long calls;
  private final TcpModel tcp;
  private final ControlSettings settings;
  private final List<ControlMember> members = new ArrayList<>();
  private final Map<Long, ControlMember> epochs = new HashMap<>();
  private final Set<String> disturbed = new HashSet<>();
  /** Nodes with another fault than a stopped process. */
  private final Set<String> broken = new HashSet<>();
  /** Nodes with a connection that was silenced. Only the kernel reports the end of its peer. */
  private final Set<String> silenced = new HashSet<>();
  private final Set<Integer> strangers = new HashSet<>();
  private final List<ControlLinks> outsiders = new ArrayList<>();
  private final Set<String> waiting = new LinkedHashSet<>();
  private int hosts;
  private boolean closing;

  ControlConversation(long seed, boolean traced) {
    super(seed, traced);
    tcp = new TcpModel(time, random.nextLong(), trace, this::accepted);
    long suspect = 100 + random.nextInt(2_000);
    settings = new ControlSettings("", 0, 0, suspect, suspect * (2 + random.nextInt(4)), CONNECT_MILLIS);
    tcp.deadMillis(settings.deadMillis());
    boolean liar = random.nextInt(4) == 0;
    for (int i = 2 + random.nextInt(3) + (liar ? 1 : 0); i > 0; i--) {
      start(Character.toString('a' + members.size()), hosts++, liar && i == 1);
    }
  }

  private static ClusterSecret secret(long seed) {
    byte[] bytes = new byte[32];
    new SplittableRandom(seed).nextBytes(bytes);
    return ClusterSecret.of(bytes);
  }

  static String found(long seed) {
    return Simulation.found(new ControlConversation(seed, false));
  }

  <T> void watch(String what, ControlMember at, Future<T> future, BiConsumer<T, Throwable> then) {
    String name = what + " (" + calls++ + ") of node " + at.process();
    trace.note(what, at.host.number, calls, 0);
    waiting.add(name);
    future.onComplete(done -> {
      if (!waiting.remove(name) && !at.ended) {
        violated("completed twice: " + name);
      }
      trace.note(what, at.host.number, done.succeeded() ? 1 : 0, 1);
      trace.say(done.cause());
      count(done.succeeded() ? "successful calls" : "failed calls");
      then.accept(done.result(), done.cause());
    });
  }

  private void start(String id, int host, boolean liar) {
    long epoch = 1 + epochs.size();
    SimulatedHost process = new SimulatedHost(host, tcp, time, random.nextLong());
    int port = random.nextInt(3) > 0 ? 7000 : 0;
    ControlMember member = new ControlMember(this, id, epoch, process, port == 0 ? settings : settings.withPorts(port, port + 3), SECRET);
    member.liar = liar;
    if (liar) {
      disturb(Fault.LIE, id, null);
      process.tamper = bytes -> random.nextInt(40) == 0 ? spoiled(bytes) : bytes;
    }
    members.add(member);
    epochs.put(epoch, member);
    watch("listen", member, member.links.listen(), (bound, cause) -> {
      if (cause != null) {
        violated("node " + id + " cannot listen: " + cause);
      } else {
        member.self = member.self.withControl(SimulatedHost.name(host), bound);
        publish(member.self);
      }
    });
  }

  private List<ControlMember> living() {
    return members.stream().filter(member -> !member.ended).toList();
  }

  private ControlMember living(String id) {
    return members.stream().filter(member -> !member.ended && member.id.equals(id)).findFirst().orElse(null);
  }

  private void publish(NodeEntry entry) {
    for (ControlMember member : living()) {
      if (!member.id.equals(entry.nodeId()) && random.nextInt(8) > 0) {
        time.after(TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextInt(5) == 0 ? 8_000 : 50)),
          () -> member.known.put(entry.nodeId(), entry));
      }
    }
  }

  private void disturb(Fault fault, String a, String b) {
    faults.merge(fault, 1L, Long::sum);
    String what = b == null ? a : a.compareTo(b) < 0 ? a + b : b + a;
    disturbed.add(what);
    if (fault != Fault.STOPPED) {
      broken.add(what);
    }
  }

  boolean isExcused(ControlMember at, String peer) {
    return isIn(disturbed, at, peer);
  }

  private static boolean isIn(Set<String> of, ControlMember at, String peer) {
    return of.contains(at.id) || of.contains(peer) || of.contains(at.id.compareTo(peer) < 0 ? at.id + peer : peer + at.id);
  }

  private boolean lies(String id) {
    return members.stream().anyMatch(member -> member.liar && member.id.equals(id));
  }

  /**
   * Checks that a death is that of a process that has ended, or, if it is not certain, that something else went wrong than that the process
   * was stopped.
   */
  void died(ControlMember at, PeerDeath death) {
    count("deaths");
    ControlMember peer = epochs.get(death.epoch());
    if (at.liar || lies(death.nodeId())) {
      return;
    }
    if (peer == null || !peer.id.equals(death.nodeId()) || death.orderly() && !peer.ended || death.certain() && !peer.ended
      || !peer.ended && !isIn(broken, at, peer.id)) {
      violated("node " + at + " hears that a node is dead that is not: " + death);
    }
  }

  private void accepted(TcpModel.End end) {
    trace.note("accepted", end.host.number, end.number, end.peer.host.number);
  }

  private void checkConnections() {
    Map<Integer, Integer> ofHost = new HashMap<>();
    Map<Integer, Integer> ofOne = new HashMap<>();
    for (TcpModel.End end : tcp.open()) {
      if (end.waiting() > TcpModel.HIGH + 2 * LONGEST && !lies(nodeAt(end.host))) {
        violated(end.waiting() + " bytes wait at host " + end.host.number + " to be sent");
      }
      if (end.acceptor && strangers.contains(end.peer.host.number) && end.isAccepted()) {
        if (ofHost.merge(end.host.number, 1, Integer::sum) > STRANGERS
          || ofOne.merge(end.host.number << 16 | end.peer.host.number, 1, Integer::sum) > STRANGERS_OF_ONE) {
          violated("strangers have too many connections with host " + end.host.number);
        }
        if (time.now() - end.since > TimeUnit.MILLISECONDS.toNanos(2 * CONNECT_MILLIS) && !disturbed.contains(nodeAt(end.host))) {
          violated("a stranger has had a connection with host " + end.host.number + " for too long");
        }
      }
    }
  }

  private String nodeAt(SimulatedHost host) {
    return members.stream().filter(member -> member.host == host).findFirst().map(member -> member.id).orElse("");
  }

  private void link(ControlMember from) {
    NodeEntry entry = any(from.known.values().stream().sorted((a, b) -> a.nodeId().compareTo(b.nodeId())).toList());
    if (entry == null) {
      return;
    }
    NodeEntry wanted = random.nextInt(4) == 0 ? entry.withEpoch(0) : entry;
    long asked = time.now();
    watch("link", from, from.links.link(wanted), (link, cause) -> {
      ControlMember peer = living(wanted.nodeId());
      boolean excused = isExcused(from, wanted.nodeId()) || lies(wanted.nodeId());
      if (cause == null && (!link.nodeId().equals(wanted.nodeId()) || wanted.epoch() != 0
        && link.peer().process().process() != wanted.process().process())) {
        violated("node " + from + " wanted " + wanted + " and got " + link.peer());
      }
      if (cause != null && !excused && !from.ended && peer != null && peer.self.epoch() == wanted.epoch()
        && peer.self.controlPort() == wanted.controlPort()) {
        violated("node " + from + " got no connection with node " + peer + ": " + cause);
      }
      if (time.now() - asked > TimeUnit.MILLISECONDS.toNanos(3 * CONNECT_MILLIS) && !disturbed.contains(from.id)) {
        violated("node " + from + " waited long for a connection with " + wanted.nodeId());
      }
    });
  }

  private void meet(ControlMember from) {
    ControlMember to = any(members);
    watch("meet", from, from.links.meet(SimulatedHost.name(to.host.number), Math.max(1, to.self.controlPort())), (id, cause) -> {
      if (cause == null && members.stream().noneMatch(member -> member.id.equals(id)) && !lies(to.id)) {
        violated("node " + from + " met nobody's node: " + id);
      }
    });
  }

  private void talk(ControlMember from) {
    ControlLink link = any(
      from.open.values().stream().filter(ControlLink::isOpen).sorted((a, b) -> a.nodeId().compareTo(b.nodeId())).toList());
    if (link == null) {
      return;
    }
    if (random.nextInt(3) == 0) {
      from.share(link);
    }
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 40 : 4); i > 0; i--) {
      from.send(link, random.nextInt(random.nextInt(4) == 0 ? LONGEST - 16 : 20));
    }
  }

  private void crowd() {
    ControlMember victim = any(living());
    if (victim == null) {
      return;
    }
    int from = 0;
    for (int i = 20 + random.nextInt(random.nextInt(4) == 0 ? 400 : 60); i > 0; i--) {
      if (from == 0 || random.nextInt(60) == 0) {
        from = stranger();
      }
      SimulatedHost host = new SimulatedHost(from, tcp, time, random.nextLong());
      int what = random.nextInt(4);
      tcp.connect(host, victim.host.number, victim.self.controlPort(), CONNECT_MILLIS).onSuccess(end -> {
        if (what == 1) {
          end.write(Buffer.buffer(bytes(1 + random.nextInt(100))));
        } else if (what == 2) {
          end.write(ControlSocket.encode((byte) 1, Buffer.buffer().appendShort((short) 2).appendBytes(bytes(16))));
        } else if (what == 3) {
          end.write(Buffer.buffer(bytes(3)));
        }
      });
    }
  }

  private int stranger() {
    int number = 256 + strangers.size();
    strangers.add(number);
    return number;
  }

  private void outsider() {
    SimulatedHost host = new SimulatedHost(stranger(), tcp, time, random.nextLong());
    NodeEntry self = NodeEntry.local("x", 1);
    ControlLinks links = new ControlLinks(host, settings, ANOTHER, () -> self);
    outsiders.add(links);
    NodeEntry wanted = any(living()).self;
    links.link(wanted).onComplete(done -> {
      if (done.succeeded()) {
        violated("a stranger has a connection with node " + wanted.nodeId());
      }
    });
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private byte[] spoiled(byte[] bytes) {
    return switch (random.nextInt(3)) {
      case 0 -> {
        byte[] changed = bytes.clone();
        changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
        yield changed;
      }
      case 1 -> ControlSocket.encode((byte) random.nextInt(16), Buffer.buffer(bytes(random.nextInt(40)))).getBytes();
      default -> {
        Buffer many = Buffer.buffer();
        for (int i = random.nextInt(5_000); i > 0; i--) {
          many.appendBuffer(ControlSocket.encode((byte) 7, Buffer.buffer()));
        }
        yield many.appendBytes(bytes).getBytes();
      }
    };
  }

  private void stop(ControlMember member) {
    disturb(Fault.STOPPED, member.id, null);
    member.host.stop();
    long dead = TimeUnit.MILLISECONDS.toNanos(settings.deadMillis());
    time.after(random.nextLong(random.nextBoolean() ? dead / 2 : random.nextBoolean() ? 3 * dead : LONGEST_STOP), member.host::resume);
  }

  private void kill(ControlMember member) {
    boolean power = random.nextInt(4) == 0;
    disturb(Fault.KILLED, member.id, null);
    member.ended = true;
    tcp.kill(member.host, power);
    member.host.kill();
    waiting.removeIf(name -> name.endsWith(" of node " + member.process()));
    again(member, power);
  }

  private void leave(ControlMember member) {
    member.ended = true;
    watch("close", member, member.links.close(), (nothing, cause) -> again(member, false));
  }

  private void again(ControlMember member, boolean dark) {
    long pause = TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 20 : 5_000));
    boolean comesBack = random.nextInt(4) > 0;
    if (dark && (comesBack || random.nextBoolean())) {
      time.after(pause, () -> tcp.light(member.host.number));
    }
    if (comesBack) {
      disturb(Fault.CAME_BACK, member.id, null);
      time.after(pause, () -> {
        if (!closing) {
          start(member.id, random.nextInt(4) == 0 ? hosts++ : member.host.number, member.liar);
        }
      });
    }
  }

  @Override
  protected void happen() {
    ControlMember member = any(living());
    if (member == null) {
      return;
    }
    int what = random.nextInt(100);
    if (what < 30) {
      member.host.execute(() -> link(member));
    } else if (what < 65) {
      member.host.execute(() -> talk(member));
    } else if (what < 72) {
      member.host.execute(() -> meet(member));
    } else if (what < 75) {
      rejoin(member);
    } else if (what < 90) {
      trouble(member);
    } else if (what < 92) {
      stop(member);
    } else if (what < 94) {
      kill(member);
    } else if (what < 95) {
      leave(member);
    } else if (what < 96) {
      crowd();
    } else {
      outsider();
    }
  }

  private void rejoin(ControlMember member) {
    long epoch = 1 + epochs.size();
    epochs.put(epoch, member);
    member.self = member.self.withEpoch(epoch);
    publish(member.self);
  }

  private void trouble(ControlMember member) {
    TcpModel.End end = any(
      tcp.open().stream().filter(each -> each.host == member.host && !strangers.contains(each.peer.host.number)).toList());
    if (end == null) {
      return;
    }
    disturb(Fault.CUT, member.id, nodeAt(end.peer.host));
    switch (random.nextInt(5)) {
      case 0 -> end.reset(true);
      case 1 -> end.reset(false);
      case 2 -> {
        end.silence();
        silenced.add(member.id);
        silenced.add(nodeAt(end.peer.host));
      }
      default ->
        tcp.cut(end.host.number, end.peer.host.number, TimeUnit.MILLISECONDS.toNanos(random.nextInt(random.nextBoolean() ? 200 : 15_000)));
    }
  }

  @Override
  protected void play() {
    pass(TimeUnit.MILLISECONDS.toNanos(100));
    play(40 + random.nextInt(150), 10, 2_000, 20);
  }

  @Override
  protected void pass(long nanos) {
    super.pass(nanos);
    checkConnections();
  }

  @Override
  protected void finish() {
    closing = true;
    members.forEach(member -> member.host.resume());
    pass(TimeUnit.SECONDS.toNanos(60));
    checkDeaths();
    tcp.calm();
    pass(TimeUnit.SECONDS.toNanos(60));
    checkEnds();
    List<ControlMember> left = living();
    left.forEach(member -> {
      member.ended = true;
      watch("close", member, member.links.close(), (nothing, cause) -> {});
    });
    outsiders.forEach(ControlLinks::close);
    pass(TimeUnit.SECONDS.toNanos(30));
    List<TcpModel.End> open = tcp.open().stream().filter(end -> !strangers.contains(end.host.number)).toList();
    if (!open.isEmpty() || tcp.doors() > 0) {
      violated(open.stream().map(end -> nodeAt(end.host) + "-" + nodeAt(end.peer.host)).toList() + " are connected, and " + tcp.doors()
        + " sockets listen");
    }
    if (!waiting.isEmpty()) {
      violated("never completed: " + waiting);
    }
    tcp.end();
    checkTimers();
  }

  private void checkDeaths() {
    for (ControlMember one : living()) {
      for (ControlLink link : one.open.values()) {
        ControlMember peer = epochs.get(link.epoch());
        boolean known = !silenced.contains(one.id) || !silenced.contains(link.nodeId());
        if (!one.liar && !lies(link.nodeId()) && known && peer.ended && (link.isOpen() || !one.knowsDead(link))) {
          violated("node " + one + " does not know that node " + link.nodeId() + " is dead");
        }
      }
    }
  }

  private void checkEnds() {
    for (ControlMember one : living()) {
      for (ControlLink link : one.open.values()) {
        ControlMember other = living(link.nodeId());
        if (link.isOpen() && !one.liar && !lies(link.nodeId())) {
          ControlLink back = other == null ? null : other.open.get(one.id);
          if (back == null || !back.isOpen()) {
            violated("node " + one + " has a connection with node " + link.nodeId() + ", which has none with it");
          }
        }
      }
      one.told.forEach((id, said) -> {
        ControlMember other = living(id);
        if (!one.liar && !lies(id) && (other == null || said[0] != other.self.process().process() || said[1] != other.tornFrom(one.id))) {
          violated("node " + one + " relies on what node " + id + " has torn down");
        }
      });
    }
  }
}
