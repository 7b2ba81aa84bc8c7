package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.impl.control.ControlLink;
import io.github.vertxrdma.impl.control.ControlLinks;
import io.github.vertxrdma.impl.control.ControlListener;
import io.github.vertxrdma.impl.control.PeerDeath;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.provider.Device;
import io.netty.channel.EventLoop;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;

/**
 * Devices of one fabric, as the adapters of a host are: in which order connections try them, and the end of what goes over one that carries
 * nothing while another does, of which peers are told. Thread-safe.
 */
final class Adapters implements ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(Adapters.class);
  /** Kinds of control messages. */
  private static final int OUTAGE = 6;
  private static final int ENDED = 8;
  /** The time between two looks: an outage that only one of them sees, as of a port that comes up again at once, ends nothing. */
  private static final long LOOK_MILLIS = 250;
  /** The time for which a way that failed is tried last. */
  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_DEVICES = 64;
  private static final int OUT = 2;
  private static final int FAILED_LATELY = 1;

  private final Node node;
  private final ControlLinks control;
  final Spread spread;
  /** Devices by fabric, of which there are several. */
  private final Map<String, List<Device>> alike = new HashMap<>();
  /** Devices that a look found to carry nothing; of the thread that looks. */
  private final Set<Device> noticed = new HashSet<>();
  /** Those of them whose connections were ended; of the same thread. */
  private final Set<Device> ended = new HashSet<>();
  private final Map<Device, Loss> out = new ConcurrentHashMap<>();
  /** Names of devices of peers that carry nothing. */
  private final Map<String, Set<String>> outOfPeers = new ConcurrentHashMap<>();
  private final Map<Way, Long> failures = new ConcurrentHashMap<>();
  private long timer = -1;

  /** From a device to a node, by one of its devices; an empty name for all of them. */
  private record Way(Device device, String nodeId, String to) {
  }

  /**
   * The loss of a device.
   *
   * @param over whether its connections have ended; peers that come later hear of that too
   */
  private record Loss(String words, boolean over) {
  }

  /** Before the control connections listen; off the loop. */
  Adapters(Node node, ControlLinks control) {
    this.node = node;
    this.control = control;
    Map<String, List<Device>> all = new LinkedHashMap<>();
    node.devices.ranked().forEach(device -> all.computeIfAbsent(device.fabric(), f -> new ArrayList<>()).add(device));
    all.forEach((fabric, devices) -> {
      if (devices.size() > 1) {
        alike.put(fabric, List.copyOf(devices));
      }
    });
    spread = new Spread(node.options().getDeviceSpread(), alike.values());
    control.messageHandler(OUTAGE, this::told).messageHandler(ENDED, this::toldEnded).addListener(this);
  }

  /** Looks after the devices from now on, if there are several of one fabric. */
  void start() {
    if (!alike.isEmpty()) {
      spread.learn(node.vertx().nettyEventLoopGroup());
      timer = node.vertx().setPeriodic(LOOK_MILLIS, id -> look());
    }
  }

  void close() {
    if (timer != -1) {
      node.vertx().cancelTimer(timer);
    }
  }

  // ---- order

  /** Candidates of a connection in the order in which they are tried. @param loop of who connects */
  List<Candidate> ordered(List<Candidate> candidates, EventLoop loop) {
    if (candidates.size() < 2) {
      return candidates;
    }
    Map<String, List<Candidate>> byFabric = new LinkedHashMap<>();
    candidates.forEach(candidate -> byFabric.computeIfAbsent(candidate.address().fabric(), f -> new ArrayList<>()).add(candidate));
    List<Candidate> ordered = new ArrayList<>();
    byFabric.values().forEach(ways -> ordered.addAll(ways.size() == 1 ? ways : ordered(ways, spread.start(ways, loop), this::trouble)));
    return ordered;
  }

  /** Rank of what speaks against a way; 0 if nothing does. */
  int trouble(Candidate way) {
    if (isOut(way.device()) || isOut(way.nodeId(), way.address().device())) {
      return OUT;
    }
    return failedLately(new Way(way.device(), way.nodeId(), "")) || failedLately(way(way)) ? FAILED_LATELY : 0;
  }

  /** Tells whether a device carries nothing, be it since the last look. */
  private boolean isOut(Device device) {
    return out.containsKey(device) || !node.outage(device).isEmpty();
  }

  /** Tells whether a peer has said that its device carries nothing. */
  boolean isOut(String nodeId, String device) {
    return outOfPeers.getOrDefault(nodeId, Set.of()).contains(device);
  }

  /**
   * Those without trouble first; of these first the pairs of devices that stand at one place here and there, since rails of a network are
   * often apart, beginning at some place; then all others.
   */
  static List<Candidate> ordered(List<Candidate> ways, int start, ToIntFunction<Candidate> trouble) {
    List<Device> devices = ways.stream().map(Candidate::device).distinct().toList();
    List<FabricAddress> addresses = ways.stream().map(Candidate::address).distinct().toList();
    int most = Math.max(devices.size(), addresses.size());
    int first = Math.floorMod(start, most);
    ToIntFunction<Candidate> here = way -> Math.floorMod(devices.indexOf(way.device()) - first, devices.size());
    ToIntFunction<Candidate> there = way -> Math.floorMod(addresses.indexOf(way.address()) - first, addresses.size());
    // Asked once: what it says may change meanwhile.
    Map<Candidate, Integer> troubles = new HashMap<>();
    ways.forEach(way -> troubles.put(way, trouble.applyAsInt(way)));
    return ways.stream().sorted(Comparator.<Candidate>comparingInt(troubles::get)
      .thenComparingInt(way -> Math.floorMod(there.applyAsInt(way) - here.applyAsInt(way), most))
      .thenComparingInt(here)).toList();
  }

  // ---- failures

  /** A connection was not made. */
  void failed(Candidate way) {
    remember(way(way));
  }

  /** A connection broke. */
  void broke(Device device, String peer) {
    if (alike.containsKey(device.fabric())) {
      remember(new Way(device, peer, ""));
    }
  }

  private static Way way(Candidate candidate) {
    return new Way(candidate.device(), candidate.nodeId(), candidate.address().device());
  }

  private void remember(Way way) {
    long now = System.nanoTime();
    failures.values().removeIf(until -> now - until >= 0);
    failures.put(way, now + FAILURE_NANOS);
  }

  private boolean failedLately(Way way) {
    Long until = failures.get(way);
    return until != null && System.nanoTime() - until < 0;
  }

  // ---- outages

  private void look() {
    for (List<Device> devices : alike.values()) {
      devices.forEach(this::look);
      for (Device device : devices) {
        Loss loss = out.get(device);
        if (loss != null && devices.stream().anyMatch(other -> !out.containsKey(other)) && ended.add(device)) {
          node.endAll(device, new RdmaException(Reason.CONNECTION_LOST, device.name() + " carries nothing, " + loss.words
            + "; connect again: another device of " + device.fabric() + " is there")).onSuccess(done -> tellEnded(device));
        }
      }
    }
  }

  private void look(Device device) {
    String words = node.outage(device);
    if (words.isEmpty()) {
      noticed.remove(device);
      ended.remove(device);
      if (out.remove(device) != null) {
        LOG.info(device.name() + " carries again");
        tell(OUTAGE, device, "");
      }
    } else if (!noticed.add(device) && out.putIfAbsent(device, new Loss(words, false)) == null) {
      LOG.warn(device.name() + " carries nothing: " + words + "; what can go over another device of " + device.fabric() + " does");
      tell(OUTAGE, device, words);
    }
  }

  /** Not once it carries again, for which a blocked loop may be late: peers may have connected anew. */
  private void tellEnded(Device device) {
    Loss loss = out.computeIfPresent(device, (lost, was) -> new Loss(was.words, true));
    if (loss != null) {
      tell(ENDED, device, loss.words);
    }
  }

  private void tell(int kind, Device device, String words) {
    control.links().onSuccess(links -> links.forEach(link -> tell(link, kind, device, words)));
  }

  static void tell(ControlLink link, int kind, Device device, String words) {
    // A peer that reads late, and does not get it, would hear of it over the next connection only.
    link.sendNext(kind, new Outage(device.name(), words).encode());
  }

  @Override
  public void opened(ControlLink link) {
    // The peer tells anew what is out: that something carries again may have been lost with the connection before.
    outOfPeers.remove(link.nodeId());
    out.forEach((device, loss) -> {
      tell(link, OUTAGE, device, loss.words);
      if (loss.over) {
        tell(link, ENDED, device, loss.words);
      }
    });
  }

  @Override
  public void died(PeerDeath death) {
    outOfPeers.remove(death.nodeId());
  }

  /** A peer tells of one of its devices: what goes over it has to show that it lives. */
  private void told(ControlLink link, Buffer message) {
    Outage outage = Outage.decode(message);
    Set<String> devices = outOfPeers.computeIfAbsent(link.nodeId(), id -> ConcurrentHashMap.newKeySet());
    if (outage.words().isEmpty()) {
      devices.remove(outage.device());
    } else if (devices.size() < MOST_DEVICES && devices.add(outage.device())) {
      node.peers.suspect(link.nodeId(), outage.device(), outage.why());
    }
  }

  /** A peer tells that it has ended what went over one of its devices. */
  private void toldEnded(ControlLink link, Buffer message) {
    Outage outage = Outage.decode(message);
    node.peers.ended(link.nodeId(), outage.device(), outage.why());
  }
}
