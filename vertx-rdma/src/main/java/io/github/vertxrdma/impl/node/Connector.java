package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.Reachability;
import io.github.vertxrdma.impl.events.FlightEvents;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.opening.LinkConnector;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Selection;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;

/** Connects to a peer over the best fabric that both ends can reach each other by. */
public final class Connector {
  private static final Logger LOG = LoggerFactory.getLogger(Connector.class);

  private final Node node;
  private final ContextInternal context;
  private final String what;
  private final String service;
  private final byte[] data;
  private final String forced;
  private List<Candidate> candidates = new ArrayList<>();
  private final List<String> refused = new ArrayList<>();

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

  /** Adds the addresses of a peer that the directory knows. */
  public Connector peer(NodeEntry peer, List<FabricAddress> addresses) {
    NodeEntry self = node.directory().self();
    for (Device device : node.selection().ranked()) {
      List<FabricAddress> shared = addresses.stream().filter(a -> a.fabric().equals(device.fabric())).toList();
      List<FabricAddress> usable = usable(device, shared);
      if (forced != null && !forced.equals(device.name()) && !forced.equals(device.fabric())) {
        refused.add(device.name() + ": fabric '" + forced + "' is forced");
      } else if (shared.isEmpty()) {
        refused.add(device.name() + ": the peer does not listen on it");
      } else if (usable.isEmpty()) {
        refused.add(device.name() + ": " + (device.capabilities().connectsBy(Connecting.LISTENER) ? "the peer connects out of band only, which"
          + " this device cannot" : "it connects out of band only, which the peer cannot on that fabric"));
      } else {
        for (FabricAddress address : usable) {
          Reachability reach = Reachability.of(self, peer, address, device.subnet());
          if (reach.reachable()) {
            candidates.add(new Candidate(device, address, peer));
          } else {
            refused.add(device.name() + ": " + reach.reason());
          }
        }
      }
    }
    for (Selection.Refusal refusal : node.selection().refused()) {
      refused.add(refusal.toString());
    }
    candidates = new ArrayList<>(node.adapters().ordered(candidates, context.nettyEventLoop()));
    for (FabricAddress address : addresses) {
      if (node.device(address.fabric()) == null) {
        refused.add(address.device() + " of the peer: this node has no device on fabric '" + address.fabric() + "'");
      }
    }
    return this;
  }

  /** Listeners where both sides have them; else where the peer is met by an introduction. */
  private static List<FabricAddress> usable(Device device, List<FabricAddress> shared) {
    List<FabricAddress> listeners = device.capabilities().connectsBy(Connecting.LISTENER)
      ? shared.stream().filter(a -> !Introductions.isMet(a.address())).toList() : List.of();
    return !listeners.isEmpty() || !device.capabilities().connectsBy(Connecting.EXCHANGE) ? listeners
      : shared.stream().filter(a -> Introductions.isMet(a.address())).toList();
  }

  /** Adds an address that was given by hand. */
  public Connector address(Device device, FabricAddress address) {
    candidates.add(new Candidate(device, address, null));
    return this;
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
      return Future.failedFuture(new RdmaException(Reason.UNREACHABLE, "no fabric reaches " + what + ": " + String.join("; ", refused)));
    }
    Candidate candidate = candidates.get(i);
    FlightEvents.Attempt attempt = FlightEvents.connecting();
    return node.loop(context, candidate.device).compose(loop -> Node.on(loop.loop.eventLoop(),
      () -> this.<T>connect(loop, candidate, link -> opened.apply(link, choice(candidate, i, loop)))))
      .onComplete(done -> attempt.over(what, candidate.device.name(), done.cause())).recover(cause -> {
        node.troubles().connectFailed(cause);
        node.adapters().failed(candidate);
        boolean last = i == candidates.size() - 1;
        if ((forced != null && last) || settled(cause)) {
          return Future.failedFuture(cause);
        }
        refused.add(candidate.device.name() + ": " + cause.getMessage());
        if (!last) {
          LOG.info(what + " was not reached over " + candidate.device.name() + ", trying " + candidates.get(i + 1).device.name() + ": "
            + cause.getMessage());
        }
        return attempt(i + 1, opened);
      });
  }

  private <T> Future<T> connect(LoopService loop, Candidate to, Function<Link, T> opener) {
    if (to.peer != null && Introductions.isMet(to.address.address())) {
      return node.introductions().connect(loop, to.peer, to.address.address(), service, data, opener);
    }
    return LinkConnector.connect(loop.loop, to.address.address(), to.peer == null ? loop.toUnknown() : loop.to(to.peer, to.address), service,
      data, (int) node.options().getConnectTimeout().toMillis(), opener);
  }

  /** Failures that another fabric would not change. */
  private static boolean settled(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.REJECTED || e.reason() == Reason.NOT_AUTHENTIC
      || e.reason() == Reason.CLOSED);
  }

  private FabricChoice choice(Candidate chosen, int index, LoopService loop) {
    List<String> others = new ArrayList<>(refused);
    for (Candidate later : candidates.subList(index + 1, candidates.size())) {
      others.add(later.device.name() + ": ranks after " + chosen.device.name());
    }
    Device device = chosen.device;
    return loop.loop.choice(new FabricChoice(device.provider(), device.name(), device.fabric(), device.endpointType(),
      FabricChoice.strategies(device, loop.loop.domain.capabilities()), others));
  }
}
