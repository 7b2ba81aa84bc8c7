package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.DeviceSpread;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.node.Connector.Candidate;
import io.github.vertxrdma.impl.peers.ControlLink;
import io.github.vertxrdma.impl.peers.ControlLinks;
import io.github.vertxrdma.impl.peers.ControlListener;
import io.github.vertxrdma.impl.peers.PeerDeath;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Selection;
import io.netty.channel.EventLoop;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
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
import java.util.stream.Collectors;

/**
 * Orders the devices of one fabric for new connections, and closes connections over a device that is down. Thread-safe.
 *
 * <p>A device is down if two successive checks find an outage. Its connections are closed if another device of the fabric works.
 */
final class DeviceFailover implements ControlListener {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceFailover.class);
  private static final int KIND_OUTAGE = 6;
  private static final int KIND_ENDED = 8;
  private static final long CHECK_MILLIS = 250;
  /** Time in ns after a failure during which a path is tried after other paths. */
  private static final long FAILURE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final int MOST_DEVICES = 64;
  private static final int DOWN = 2;
  private static final int FAILED_RECENTLY = 1;

  private final Node node;
  private final ControlLinks control;
  private final DeviceSpread spread;
  /** Index of each event loop in the order of first connects. Guarded by itself. */
  private final Map<EventLoop, Integer> places = new HashMap<>();
  private volatile Map<String, List<Device>> redundant;
  /** Devices with an outage in the last check. Confined to the timer's thread, like {@link #ended}. */
  private final Set<Device> suspected = new HashSet<>();
  /** Devices whose connections this node has closed. */
  private final Set<Device> ended = new HashSet<>();
  private final Map<Device, Loss> outages = new ConcurrentHashMap<>();
  /** Names of peers' devices that are down, by node id. */
  private final Map<String, Set<String>> peerOutages = new ConcurrentHashMap<>();
  private final Map<Path, Long> failures = new ConcurrentHashMap<>();
  /** Guarded by this, like {@link #closed}. */
  private long timer = -1;
  private boolean closed;

  /** Path from a local device to the peer's device {@code to}, or to all its devices if {@code to} is empty. */
  private record Path(Device device, String nodeId, String to) {
  }

  private record Loss(String reason, boolean connectionsEnded) {
  }

  /** Must be created before the control connections accept peers, because it sets message handlers. */
  DeviceFailover(Node node, ControlLinks control) {
    this.node = node;
    this.control = control;
    redundant = redundant();
    spread = node.options().getDeviceSpread();
    control.messageHandler(KIND_OUTAGE, this::outageReceived).messageHandler(KIND_ENDED, this::endReceived).addListener(this);
  }

  private Map<String, List<Device>> redundant() {
    Map<String, List<Device>> all = node.devices.ranked().stream()
      .collect(Collectors.groupingBy(Device::fabric, LinkedHashMap::new, Collectors.toList()));
    all.values().removeIf(devices -> devices.size() == 1);
    return all;
  }

  synchronized void start() {
    if (!redundant.isEmpty() && timer == -1 && !closed) {
      timer = node.vertx().setPeriodic(CHECK_MILLIS, id -> check());
    }
  }

  void devicesAdded() {
    redundant = redundant();
    start();
  }

  synchronized void close() {
    closed = true;
    if (timer != -1) {
      node.vertx().cancelTimer(timer);
    }
  }

  List<Candidate> ordered(List<Candidate> candidates, EventLoop loop) {
    if (candidates.size() < 2) {
      return candidates;
    }
    Map<String, List<Candidate>> byFabric = candidates.stream()
      .collect(Collectors.groupingBy(candidate -> candidate.address().fabric(), LinkedHashMap::new, Collectors.toList()));
    return byFabric.values().stream()
      .flatMap(paths -> (paths.size() == 1 ? paths : ordered(paths, start(paths, loop), this::penalty)).stream()).toList();
  }

  /** Returns the index of the device to try first. The caller takes it modulo the number of devices. */
  private int start(List<Candidate> paths, EventLoop loop) {
    return switch (spread) {
      case NONE -> 0;
      case PEER -> paths.getFirst().nodeId().hashCode();
      case LOOP -> {
        synchronized (places) {
          yield places.computeIfAbsent(loop, l -> places.size());
        }
      }
    };
  }

  /** Returns 0 for a path without recent failures. Paths with a higher penalty are tried later. */
  int penalty(Candidate path) {
    if (isDown(path.device()) || isDown(path.nodeId(), path.address().device())) {
      return DOWN;
    }
    return failedRecently(new Path(path.device(), path.nodeId(), "")) || failedRecently(path(path)) ? FAILED_RECENTLY : 0;
  }

  private boolean isDown(Device device) {
    return outages.containsKey(device) || !node.loops.outage(device).isEmpty();
  }

  boolean isDown(String nodeId, String device) {
    return peerOutages.getOrDefault(nodeId, Set.of()).contains(device);
  }

  /**
   * Sorts paths by these criteria, each if the earlier ones are equal:
   *
   * <ol>
   * <li>lower penalty first,
   * <li>paths within a subnet first,
   * <li>devices with the same name on both sides, which separate networks (rails) often connect, then those with the same position among
   * the names of their side,
   * <li>index of the local device, from {@code start} on.
   * </ol>
   */
  static List<Candidate> ordered(List<Candidate> paths, int start, ToIntFunction<Candidate> penalty) {
    List<Device> devices = paths.stream().map(Candidate::device).distinct().toList();
    List<String> here = devices.stream().map(Device::name).sorted(Selection.NATURAL).toList();
    List<String> there = paths.stream().map(path -> path.address().device()).distinct().sorted(Selection.NATURAL).toList();
    // A side with fewer devices spreads its connections over those of the other.
    int turn = there.size() > here.size() ? Math.floorDiv(start, here.size()) : 0;
    ToIntFunction<Candidate> distance = path -> path.device().name().equals(path.address().device()) ? -1
      : Math.floorMod(there.indexOf(path.address().device()) - here.indexOf(path.device().name()) - turn, there.size());
    // Evaluated once: the result may change while sorting.
    Map<Candidate, Integer> penalties = new HashMap<>();
    paths.forEach(path -> penalties.put(path, penalty.applyAsInt(path)));
    return paths.stream().sorted(Comparator.<Candidate>comparingInt(penalties::get)
      .thenComparing(path -> !path.device().isOnSubnet(path.address().address()))
      .thenComparingInt(distance).thenComparingInt(path -> Math.floorMod(devices.indexOf(path.device()) - start, devices.size()))).toList();
  }

  void connectFailed(Candidate path) {
    rememberFailure(path(path));
  }

  void connectionBroke(Device device, String peer) {
    if (redundant.containsKey(device.fabric())) {
      rememberFailure(new Path(device, peer, ""));
    }
  }

  private static Path path(Candidate candidate) {
    return new Path(candidate.device(), candidate.nodeId(), candidate.address().device());
  }

  private void rememberFailure(Path path) {
    long now = System.nanoTime();
    failures.values().removeIf(until -> now - until >= 0);
    failures.put(path, now + FAILURE_NANOS);
  }

  private boolean failedRecently(Path path) {
    Long until = failures.get(path);
    return until != null && System.nanoTime() - until < 0;
  }

  private void check() {
    for (List<Device> devices : redundant.values()) {
      devices.forEach(this::check);
      for (Device device : devices) {
        Loss loss = outages.get(device);
        if (loss != null && devices.stream().anyMatch(other -> !outages.containsKey(other)) && ended.add(device)) {
          node.loops.endAll(device, new RdmaException(Reason.CONNECTION_LOST, device.name() + " does not transfer messages: "
            + loss.reason + ". Connect again: another device of " + device.fabric() + " is "
            + "available")).onSuccess(done -> sendEnded(device));
        }
      }
    }
  }

  private void check(Device device) {
    String reason = node.loops.outage(device);
    if (reason.isEmpty()) {
      suspected.remove(device);
      ended.remove(device);
      if (outages.remove(device) != null) {
        LOG.info(device.name() + " transfers messages again");
        send(KIND_OUTAGE, device, "");
      }
    } else if (!suspected.add(device) && outages.putIfAbsent(device, new Loss(reason, false)) == null) {
      LOG.warn(device.name() + " does not transfer messages: " + reason + ". Connections move to another device of "
        + device.fabric() + " where possible");
      send(KIND_OUTAGE, device, reason);
    }
  }

  /**
   * Notifies peers that this node closed its connections over a device. Does nothing if the device has recovered, because there may be new
   * connections.
   */
  private void sendEnded(Device device) {
    Loss loss = outages.computeIfPresent(device, (lost, before) -> new Loss(before.reason, true));
    if (loss != null) {
      send(KIND_ENDED, device, loss.reason);
    }
  }

  private void send(int kind, Device device, String reason) {
    control.links().onSuccess(links -> links.forEach(link -> send(link, kind, device, reason)));
  }

  static void send(ControlLink link, int kind, Device device, String reason) {
    // If this message is lost, the next control connection sends the outage again.
    link.sendNext(kind, new Outage(device.name(), reason).encode());
  }

  @Override
  public void opened(ControlLink link) {
    // Forgets outages of the peer's devices: a report of recovery may have been lost with the previous control connection.
    peerOutages.remove(link.nodeId());
    outages.forEach((device, loss) -> {
      send(link, KIND_OUTAGE, device, loss.reason);
      if (loss.connectionsEnded) {
        send(link, KIND_ENDED, device, loss.reason);
      }
    });
  }

  @Override
  public void died(PeerDeath death) {
    peerOutages.remove(death.nodeId());
  }

  /** Handles a peer's report about a device. If the device is down, pings over all links that use it. */
  private void outageReceived(ControlLink link, Buffer message) {
    Outage outage = Outage.decode(message);
    Set<String> devices = peerOutages.computeIfAbsent(link.nodeId(), id -> ConcurrentHashMap.newKeySet());
    if (outage.reason().isEmpty()) {
      devices.remove(outage.device());
    } else if (devices.size() < MOST_DEVICES && devices.add(outage.device())) {
      node.peers.suspect(link.nodeId(), outage.device(), outage.cause());
    }
  }

  private void endReceived(ControlLink link, Buffer message) {
    Outage outage = Outage.decode(message);
    node.peers.ended(link.nodeId(), outage.device(), outage.cause());
  }
}
