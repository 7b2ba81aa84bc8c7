package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.Reachability;
import io.github.vertxrdma.impl.events.FlightEvents;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.opening.LinkConnector;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Connects to a peer over the best fabric that both ends can reach each other by. */
public final class Connector {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);
  /** Failures that another fabric would not change. */
  private static final Set<Reason> SETTLED = EnumSet.of(Reason.REJECTED, Reason.NOT_FOUND, Reason.NOT_AUTHENTIC, Reason.CLOSED);

  private final Node node;
  private final ContextInternal context;
  private final String what;
  private final String service;
  private final byte[] data;
  private final String forced;
  /** Whether TCP serves if no fabric does, so that fabrics which are sockets of the kernel are not worth it. */
  private boolean besideTcp;
  /** Milliseconds that peers still have to answer, in all attempts together. */
  private int patienceMillis = Integer.MAX_VALUE;
  private final List<Device> considered = new ArrayList<>();
  private final List<Candidate> candidates = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();
  /** The peer; null if only an address is known. */
  private NodeEntry peer;
  private List<FabricAddress> addresses = List.of();
  /** The address, if that is all. */
  private InetSocketAddress given;

  /** A device of this node and an address of the peer, who is null if only the address is known. */
  record Candidate(Device device, FabricAddress address, NodeEntry peer) {

    String nodeId() {
      return peer == null ? "" : peer.nodeId();
    }
  }

  /**
   * @param what is connected to, for messages
   * @param service the name that the peer serves
   * @param data private data for it
   * @param forced the one fabric or device to use, or null
   */
  public Connector(Node node, ContextInternal context, String what, String service, byte[] data, String forced) {
    this.node = node;
    this.context = context;
    this.what = what;
    this.service = service;
    this.data = data;
    this.forced = forced;
  }

  /**
   * Leaves out fabrics that are sockets of the kernel, and fails if no peer answers in time: the caller continues by TCP.
   *
   * @param millis time that peers have to answer, in all attempts together; the time in which this process opens a device is not counted
   */
  public Connector besideTcp(int millis) {
    besideTcp = true;
    patienceMillis = millis;
    return this;
  }

  /** Returns the reasons why no fabric but sockets of the kernel reaches a peer, or null if another one does. */
  public static String onlySockets(Node node, NodeEntry peer, List<FabricAddress> addresses) {
    Connector connector = new Connector(node, null, "", "", new byte[0], null).besideTcp(0);
    connector.peer = peer;
    connector.addresses = addresses;
    return connector.find(node.devices.ranked()).isEmpty() ? String.join("; ", connector.refused) : null;
  }

  /** Opens the device that ranks first among those that reach a peer, so that a connection finds it open. */
  public static Future<?> open(Node node, ContextInternal context, NodeEntry peer, List<FabricAddress> addresses, String forced) {
    Connector connector = new Connector(node, context, "", "", new byte[0], forced);
    connector.peer = peer;
    connector.addresses = addresses;
    List<Candidate> found = connector.find(node.devices.ranked());
    return found.isEmpty() ? Future.succeededFuture() : node.loop(context, found.getFirst().device);
  }

  /** Connects to a peer that the directory knows. */
  public Connector peer(NodeEntry known, List<FabricAddress> listens) {
    peer = known;
    addresses = listens;
    return consider(node.devices.ranked());
  }

  /** Leaves only other devices of that one's fabric, without trouble; none if the peer has one device of it. */
  Connector beside(Device device) {
    boolean several = addresses.stream().filter(address -> address.fabric().equals(device.fabric())).count() > 1;
    candidates.removeIf(candidate -> !several || candidate.device == device || !candidate.device.fabric().equals(device.fabric())
      || node.adapters.trouble(candidate) > 0);
    return this;
  }

  /** Connects to an address that was given by hand. */
  public Connector address(InetSocketAddress address) {
    given = address;
    return consider(node.devices.ranked());
  }

  /** Adds the candidates among devices. */
  private Connector consider(List<Device> devices) {
    List<Candidate> found = find(devices);
    considered.addAll(devices);
    candidates.addAll(given == null ? node.adapters.ordered(found, context.nettyEventLoop()) : found);
    return this;
  }

  private List<Candidate> find(List<Device> devices) {
    List<Candidate> found = new ArrayList<>();
    for (Device device : devices) {
      if (forced != null && !forced.equals(device.name()) && !forced.equals(device.fabric())) {
        refused.add(device.name() + ": fabric '" + forced + "' is forced");
      } else if (besideTcp && device.capabilities().kernelSocket()) {
        refused.add(device.name() + ": it is a socket of the kernel, as TCP is");
      } else if (given == null) {
        consider(device, found);
      } else if (NodeDevices.isByIp(device)) {
        found.add(new Candidate(device, FabricAddress.of(device, 0, EndpointAddress.of(given)), null));
      }
    }
    return found;
  }

  private void consider(Device device, List<Candidate> found) {
    List<FabricAddress> shared = addresses.stream().filter(a -> a.fabric().equals(device.fabric())).toList();
    List<FabricAddress> usable = usable(device, shared);
    if (shared.isEmpty()) {
      refused.add(device.name() + ": the peer does not listen on it");
    } else if (usable.isEmpty()) {
      refused
        .add(device.name() + ": " + (device.capabilities().connectsBy(Connecting.LISTENER) ? "the peer connects out of band only, which"
          + " this device cannot" : "it connects out of band only, which the peer cannot on that fabric"));
    } else {
      for (FabricAddress address : usable) {
        Reachability reach = Reachability.of(node.directory().self(), peer, address, device.subnet());
        if (reach.reachable()) {
          found.add(new Candidate(device, address, peer));
        } else {
          refused.add(device.name() + ": " + reach.reason());
        }
      }
    }
  }

  /** Addresses of the peer on fabrics of which this node has no device. */
  private List<FabricAddress> unknown() {
    return addresses.stream().filter(address -> !node.devices.has(address.fabric())).toList();
  }

  /** Reasons why devices were not taken. */
  private List<String> reasons() {
    List<String> reasons = new ArrayList<>(refused);
    node.devices.selection().refused().forEach(refusal -> reasons.add(refusal.toString()));
    unknown()
      .forEach(address -> reasons.add(address.device() + " of the peer: this node has no device on fabric '" + address.fabric() + "'"));
    return reasons;
  }

  /** Listeners where both sides have them; else where the peer is met by an introduction. */
  private static List<FabricAddress> usable(Device device, List<FabricAddress> shared) {
    List<FabricAddress> listeners = device.capabilities().connectsBy(Connecting.LISTENER)
      ? shared.stream().filter(a -> !Introductions.isMet(a.address())).toList() : List.of();
    return !listeners.isEmpty() || !device.capabilities().connectsBy(Connecting.EXCHANGE) ? listeners
      : shared.stream().filter(a -> Introductions.isMet(a.address())).toList();
  }

  /** The device that is tried first; null if the peer is reached by none. */
  Device first() {
    return candidates.isEmpty() ? null : candidates.getFirst().device;
  }

  /**
   * Tries the candidates in order.
   *
   * @param opened makes what stands on the link, sets its handler, and gives the result; called on the link's loop
   */
  public <T> Future<T> connect(BiFunction<Link, FabricChoice, T> opened) {
    return attempt(0, opened);
  }

  private <T> Future<T> attempt(int i, BiFunction<Link, FabricChoice, T> opened) {
    if (i == candidates.size()) {
      return more().compose(found -> found ? attempt(i, opened)
        : node.devices.refuse(forced,
          new RdmaException(Reason.UNREACHABLE, "no fabric reaches " + what + ": " + String.join("; ", reasons()))));
    }
    Candidate candidate = candidates.get(i);
    FlightEvents.Attempt attempt = FlightEvents.connecting();
    return node.loop(context, candidate.device).compose(loop -> EventLoopHost.on(loop.loop.eventLoop(),
      () -> this.<T>connect(loop, candidate, link -> opened.apply(link, choice(candidate, i, loop)))))
      .onComplete(done -> attempt.ended(what, candidate.device.name(), done.cause())).recover(cause -> {
        node.troubles.connectFailed(cause);
        node.adapters.failed(candidate);
        boolean last = i == candidates.size() - 1;
        if ((forced != null && last) || settled(cause)) {
          return Future.failedFuture(cause);
        }
        refused.add(candidate.device.name() + ": " + cause.getMessage());
        if (patienceMillis <= 0) {
          return attempt(candidates.size(), opened);
        }
        if (!last) {
          LOG.info(what + " was not reached over " + candidate.device.name() + ", trying " + candidates.get(i + 1).device.name() + ": "
            + cause.getMessage());
        }
        return attempt(i + 1, opened);
      });
  }

  /** Looks for devices that were not looked for, if one of them may reach the peer. @return whether one may */
  private Future<Boolean> more() {
    // Beside TCP they have nothing to offer: their devices do what sockets do.
    if (besideTcp || !node.devices.hasFallbacks() || given == null && unknown().isEmpty()) {
      return Future.succeededFuture(false);
    }
    int tried = candidates.size();
    return node.devices.findFallbacks().map(v -> {
      consider(node.devices.ranked().stream().filter(device -> !considered.contains(device)).toList());
      return candidates.size() > tried;
    });
  }

  private <T> Future<T> connect(LoopService loop, Candidate to, Function<Link, T> opener) {
    int millis = Math.min((int) node.options().getConnectTimeout().toMillis(), patienceMillis);
    long began = System.nanoTime();
    Future<T> made = to.peer != null && Introductions.isMet(to.address.address())
      ? node.introductions.connect(loop, to.peer, to.address, service, data, millis, opener)
      : LinkConnector.connect(loop.loop, to.address.address(), to.peer == null ? loop.toUnknown() : loop.to(to.peer, to.address), service,
        data, millis, opener);
    return made.recover(cause -> {
      patienceMillis -= (int) TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
      return Future.failedFuture(cause);
    });
  }

  private static boolean settled(Throwable cause) {
    return cause instanceof RdmaException e && SETTLED.contains(e.reason());
  }

  private FabricChoice choice(Candidate chosen, int index, LoopService loop) {
    List<String> others = reasons();
    for (Candidate later : candidates.subList(index + 1, candidates.size())) {
      others.add(later.device.name() + ": ranks after " + chosen.device.name());
    }
    return loop.loop.common(FabricChoice.of(chosen.device, loop.loop.domain.capabilities(), others));
  }
}
