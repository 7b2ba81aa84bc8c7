package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkConnector;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.impl.process.FlightEvents;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Connects to a peer over the best common fabric. */
public final class Connector {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
  /** Failures after which no other fabric is tried. */
  private static final Set<Reason> FINAL = EnumSet.of(Reason.REJECTED, Reason.NOT_FOUND, Reason.NOT_AUTHENTIC, Reason.CLOSED);

  private final Node node;
  private final ContextInternal context;
  private final String target;
  private final String service;
  private final byte[] data;
  private final String forced;
  private boolean besideTcp;
  /** Remaining time in ms to wait for replies, over all attempts. */
  private int patienceMillis = Integer.MAX_VALUE;
  private final List<Device> considered = new ArrayList<>();
  private final List<Candidate> candidates = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  private NodeEntry peer;
  private List<FabricAddress> addresses = List.of();
  private InetSocketAddress fixedAddress;

  /** @param peer null if unknown */
  record Candidate(Device device, FabricAddress address, NodeEntry peer) {

    String nodeId() {
      return peer == null ? "" : peer.nodeId();
    }
  }

  /** @param forced name of the only fabric or device to use, or null */
  public Connector(Node node, ContextInternal context, String target, String service, byte[] data, String forced) {
    this.node = node;
    this.context = context;
    this.target = target;
    this.service = service;
    this.data = data;
    this.forced = forced;
  }

  /**
   * Excludes fabrics over kernel sockets and limits the time for replies, because the caller can use TCP instead.
   *
   * @param millis time for all attempts, excluding the opening of local devices
   */
  public Connector besideTcp(int millis) {
    besideTcp = true;
    patienceMillis = millis;
    return this;
  }

  /** Returns why only kernel sockets reach a peer; null if another fabric reaches it. */
  public static String onlySockets(Node node, NodeEntry peer, List<FabricAddress> addresses) {
    Connector connector = new Connector(node, null, "", "", new byte[0], null).besideTcp(0);
    connector.peer = peer;
    connector.addresses = addresses;
    return connector.find(node.devices.ranked()).isEmpty() ? String.join("; ", connector.refused) : null;
  }

  public Connector peer(NodeEntry entry, List<FabricAddress> listens) {
    peer = entry;
    addresses = listens;
    return addCandidates(node.devices.ranked());
  }

  public Connector address(InetSocketAddress address) {
    fixedAddress = address;
    return addCandidates(node.devices.ranked());
  }

  private Connector addCandidates(List<Device> devices) {
    List<Candidate> found = find(devices);
    considered.addAll(devices);
    candidates.addAll(fixedAddress == null ? node.failover.ordered(found, context.nettyEventLoop())
      : found.stream().sorted(Comparator.comparing(path -> !path.device.isOnSubnet(path.address.address()))).toList());
    return this;
  }

  private List<Candidate> find(List<Device> devices) {
    List<Candidate> found = new ArrayList<>();
    for (Device device : devices) {
      if (forced != null && !forced.equals(device.name()) && !forced.equals(device.fabric())) {
        refused.add(device.name() + ": not used, since fabric '" + forced + "' is forced");
      } else if (besideTcp && device.capabilities().kernelSocket()) {
        refused.add(device.name() + ": not used, since it uses sockets of the kernel, like TCP");
      } else if (fixedAddress == null) {
        addCandidate(device, found);
      } else if (NodeDevices.isByIp(device)) {
        found.add(new Candidate(device, FabricAddress.of(device, 0, EndpointAddress.of(fixedAddress)), null));
      }
    }
    return found;
  }

  private void addCandidate(Device device, List<Candidate> found) {
    List<FabricAddress> shared = addresses.stream().filter(a -> a.fabric().equals(device.fabric())).toList();
    List<FabricAddress> usable = usable(device, shared);
    if (shared.isEmpty()) {
      refused.add(device.name() + ": the peer does not listen on it");
    } else if (usable.isEmpty()) {
      refused.add(device.name() + ": " + (device.capabilities().connectsBy(Connecting.LISTENER)
        ? "the peer has no listener on it, and this device can only connect to listeners"
        : "it cannot connect to listeners, and the peer offers only listeners on that fabric"));
    } else {
      for (FabricAddress address : usable) {
        String obstacle = obstacle(device, address);
        if (obstacle != null) {
          refused.add(device.name() + ": " + obstacle);
        } else if (found.stream().noneMatch(path -> path.device == device && path.address.address().equals(address.address()))) {
          found.add(new Candidate(device, address, peer));
        }
      }
    }
  }

  private String obstacle(Device device, FabricAddress address) {
    List<String> obstacles = device.subnets().stream()
      .map(subnet -> Reachability.obstacle(node.directory().self(), peer, address, subnet)).toList();
    return obstacles.contains(null) ? null : obstacles.getFirst();
  }

  private List<FabricAddress> addressesWithoutDevice() {
    return addresses.stream().filter(address -> !node.devices.has(address.fabric())).toList();
  }

  private List<String> reasons() {
    List<String> reasons = new ArrayList<>(refused);
    node.devices.selection().refused().forEach(refusal -> reasons.add(refusal.toString()));
    addressesWithoutDevice()
      .forEach(address -> reasons.add(address.device() + " of the peer: not used, since this node has no device on fabric "
        + "'" + address.fabric() + "'"));
    return reasons;
  }

  /** Returns addresses of listeners if the device can connect to them, otherwise addresses for {@link IntroducedConnector}. */
  private static List<FabricAddress> usable(Device device, List<FabricAddress> shared) {
    List<FabricAddress> listeners = device.capabilities().connectsBy(Connecting.LISTENER)
      ? shared.stream().filter(a -> !IntroducedConnector.isIntroduced(a.address())).toList() : List.of();
    return !listeners.isEmpty() || !device.capabilities().connectsBy(Connecting.EXCHANGE) ? listeners
      : shared.stream().filter(a -> IntroducedConnector.isIntroduced(a.address())).toList();
  }

  Device firstDevice() {
    return candidates.isEmpty() ? null : candidates.getFirst().device;
  }

  /** @param opened called on the link's loop; sets the link's handler */
  public <T> Future<T> connect(BiFunction<Link, FabricChoice, T> opened) {
    return attempt(0, opened);
  }

  private <T> Future<T> attempt(int i, BiFunction<Link, FabricChoice, T> opened) {
    if (i == candidates.size()) {
      return findFallbacks().compose(found -> {
        if (found) {
          return attempt(i, opened);
        }
        Future<T> failed = Future.failedFuture(
          new RdmaException(Reason.UNREACHABLE, "no fabric reaches " + target + ": " + String.join("; ", reasons())));
        // Fails with another cause if the forced fabric or device is missing.
        return forced == null ? failed : node.devices.named(forced).compose(device -> failed);
      });
    }
    Candidate candidate = candidates.get(i);
    FlightEvents.Attempt attempt = FlightEvents.connecting();
    if (LOG.isDebugEnabled()) {
      LOG.debug("Connecting to " + target + " over " + candidate.device.name() + " at " + candidate.address.address());
    }
    return node.loops.loop(context, candidate.device).compose(loop -> LoopCall.on(loop.loop.eventLoop(),
      () -> this.<T>connect(loop, candidate, link -> opened.apply(link, choice(candidate, i, loop)))))
      .onComplete((made, cause) -> {
        attempt.ended(target, candidate.device.name(), cause);
        if (LOG.isDebugEnabled()) {
          LOG.debug("Connecting to " + target + " over " + candidate.device.name() + (cause == null ? " succeeded"
            : " failed: " + cause.getMessage()));
        }
      }).onSuccess(made -> node.errors.reached(target, candidate.device.name())).recover(cause -> {
        node.errors.connectFailed(cause);
        node.failover.connectFailed(candidate);
        boolean last = i == candidates.size() - 1;
        if ((forced != null && last) || isFinal(cause)) {
          return Future.failedFuture(cause);
        }
        refused.add(candidate.device.name() + ": " + Reasons.words(cause, candidate.device));
        if (patienceMillis <= 0) {
          return attempt(candidates.size(), opened);
        }
        if (!last) {
          String line = target + " was not reached over " + candidate.device.name() + ", trying " + candidates.get(i + 1).device.name()
            + ": " + Reasons.words(cause, candidate.device);
          if (node.errors.isNews(line)) {
            LOG.info(line);
          }
        }
        return attempt(i + 1, opened);
      });
  }

  /** Adds devices of fallback providers. @return true if they may reach the peer */
  private Future<Boolean> findFallbacks() {
    // Fallback providers use sockets, so they are no better than TCP.
    if (besideTcp || !node.devices.hasFallbacks() || fixedAddress == null && addressesWithoutDevice().isEmpty()) {
      return Future.succeededFuture(false);
    }
    int tried = candidates.size();
    return node.devices.findFallbacks().map(v -> {
      addCandidates(node.devices.ranked().stream().filter(device -> !considered.contains(device)).toList());
      return candidates.size() > tried;
    });
  }

  private <T> Future<T> connect(LoopService loop, Candidate to, Function<Link, T> opener) {
    int millis = Math.min((int) node.options().getConnectTimeout().toMillis(), patienceMillis);
    long began = System.nanoTime();
    Future<T> made = to.peer != null && IntroducedConnector.isIntroduced(to.address.address())
      ? node.introducedConnector.connect(loop, to.peer, to.address, service, data, millis, opener)
      : LinkConnector.connect(loop.loop, to.address.address(), to.peer == null ? loop.toUnknown() : loop.to(to.peer, to.address), service,
        data, millis, opener);
    return made.recover(cause -> {
      patienceMillis -= (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      return Future.failedFuture(cause);
    });
  }

  private static boolean isFinal(Throwable cause) {
    return cause instanceof RdmaException e && FINAL.contains(e.reason());
  }

  private FabricChoice choice(Candidate chosen, int index, LoopService loop) {
    List<String> others = reasons();
    for (Candidate later : candidates.subList(index + 1, candidates.size())) {
      others.add(later.device.name() + ": not used, since it ranks after " + chosen.device.name());
    }
    return loop.loop.intern(FabricChoice.of(chosen.device, loop.loop.domain.capabilities(), others));
  }
}
