package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.opening.LinkIdentity;
import io.github.vertxrdma.impl.opening.OutOfBandEnd;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** An end of a link on the best device that can be connected by an exchange of descriptions. Any thread. */
public final class ExchangedEnd {
  private final LoopService loop;
  private final OutOfBandEnd exchange;
  private final FabricChoice choice;
  private final byte[] description;

  private ExchangedEnd(String nodeId, LoopService loop, OutOfBandEnd exchange, FabricChoice choice) {
    this.loop = loop;
    this.exchange = exchange;
    this.choice = choice;
    description = new EndDescription(choice.fabric(), nodeId, exchange.localAddress()).encode();
  }

  /**
   * Makes one.
   *
   * @param forced the one fabric or device to use, or null
   * @param timeoutMillis how long the peer may take once this side connects
   */
  public static Future<ExchangedEnd> open(Node node, ContextInternal context, String forced, int timeoutMillis) {
    List<String> refused = new ArrayList<>();
    node.devices.selection().refused().forEach(refusal -> refused.add(refusal.toString()));
    Device chosen = null;
    for (Device device : node.devices.ranked()) {
      if (forced != null && !forced.equals(device.name()) && !forced.equals(device.fabric())) {
        refused.add(device.name() + ": fabric '" + forced + "' is forced");
      } else if (!device.capabilities().connectsBy(Connecting.EXCHANGE)) {
        refused.add(device.name() + ": connects to listeners only");
      } else if (chosen != null) {
        refused.add(device.name() + ": ranks after " + chosen.name());
      } else {
        chosen = device;
      }
    }
    if (chosen == null) {
      return node.devices.refuse(forced,
        new RdmaException(Reason.UNSUPPORTED, "no device here makes ends that are connected out of band, as"
          + " InfiniBand and RoCE devices do; use a server and Rdma.connect. " + String.join("; ", refused)));
    }
    return open(node, context, chosen, timeoutMillis, refused);
  }

  private static Future<ExchangedEnd> open(Node node, ContextInternal context, Device device, int timeoutMillis, List<String> refused) {
    return node.loop(context, device).compose(loop -> {
      FabricChoice choice = FabricChoice.of(device, loop.loop.domain.capabilities(), refused);
      return EventLoopHost.on(loop.loop.eventLoop(), () -> OutOfBandEnd.open(loop.loop, timeoutMillis))
        .map(exchange -> new ExchangedEnd(node.directory().nodeId(), loop, exchange, choice));
    });
  }

  /** The device, and why the others are not used. */
  public FabricChoice choice() {
    return choice;
  }

  /** The token that the peer must get; a copy. */
  public byte[] description() {
    return description.clone();
  }

  /**
   * Connects with the end that is described, which connects with this one: of the two the one whose description comes first, as unsigned
   * bytes, is the connector.
   *
   * @param data private data for the peer
   * @param opener makes what stands on the open link and sets its handler; called on the link's loop
   */
  public <T> Future<T> connect(byte[] described, byte[] data, BiFunction<Link, FabricChoice, T> opener) {
    EndDescription peer;
    try {
      peer = check(described);
    } catch (RdmaException e) {
      return Future.failedFuture(e);
    }
    String who = "node " + peer.nodeId();
    boolean first = Arrays.compareUnsigned(description, described) < 0;
    return EventLoopHost.on(loop.loop.eventLoop(), () -> {
      if (first) {
        LinkIdentity identity = loop.between(peer.nodeId(), description, described);
        return exchange.connect(peer.address(), identity, who, "", data, link -> opener.apply(link, choice));
      }
      List<T> made = new ArrayList<>(1);
      return exchange.accept(peer.address(), loop.between(peer.nodeId(), described, description), who, incoming -> {
        Link link = incoming.accept(data);
        if (link != null) {
          made.add(opener.apply(link, choice));
        }
      }).map(link -> made.getFirst());
    });
  }

  private EndDescription check(byte[] described) {
    EndDescription peer = EndDescription.decode(described);
    if (Arrays.equals(described, description)) {
      throw new RdmaException(Reason.UNREACHABLE, "that describes this end itself; give what describes the peer's");
    }
    if (!peer.fabric().equals(choice.fabric())) {
      throw new RdmaException(Reason.UNREACHABLE,
        "the end of node " + peer.nodeId() + " is on fabric '" + peer.fabric() + "', this one on '"
          + choice.fabric() + "' (" + choice.device() + "); make both on one, with setFabric of their options");
    }
    return peer;
  }

  /** Whether it ended without ever being connected. */
  public boolean hasFailed() {
    return exchange.hasFailed();
  }

  /** Gives it up if it is not connected, and its queue pair with it. Idempotent. */
  public Future<Void> close() {
    // With a loop that ended it was closed.
    return EventLoopHost.<Void>on(loop.loop.eventLoop(), () -> {
      exchange.close();
      return Future.succeededFuture();
    }).otherwiseEmpty();
  }
}
