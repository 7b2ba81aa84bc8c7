package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.OutOfBandEnd;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.Device;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;

/** Endpoint of the best device, which connects after both sides have exchanged descriptions. Thread-safe. */
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
   * @param forced the only fabric or device to use, or null
   * @param timeoutMillis time that the peer has to answer, from {@link #connect} on
   */
  public static Future<ExchangedEnd> open(Node node, ContextInternal context, String forced, int timeoutMillis) {
    List<String> refused = new ArrayList<>();
    node.devices.selection().refused().forEach(refusal -> refused.add(refusal.toString()));
    Device chosen = null;
    for (Device device : node.devices.ranked()) {
      if (forced != null && !forced.equals(device.name()) && !forced.equals(device.fabric())) {
        refused.add(device.name() + ": not used, since fabric '" + forced + "' is forced");
      } else if (!device.capabilities().connectsBy(Connecting.EXCHANGE)) {
        refused.add(device.name() + ": it can only connect to listeners");
      } else if (chosen != null) {
        refused.add(device.name() + ": not used, since it ranks after " + chosen.name());
      } else {
        chosen = device;
      }
    }
    if (chosen == null) {
      return node.devices.failForced(forced,
        new RdmaException(Reason.UNSUPPORTED, "no device of this node can connect out of band, as InfiniBand and RoCE devices can. "
          + "Use a server and Rdma.connect. " + String.join("; ", refused)));
    }
    return open(node, context, chosen, timeoutMillis, refused);
  }

  private static Future<ExchangedEnd> open(Node node, ContextInternal context, Device device, int timeoutMillis, List<String> refused) {
    return node.loop(context, device).compose(loop -> {
      FabricChoice choice = FabricChoice.of(device, loop.loop.domain.capabilities(), refused);
      return LoopCall.on(loop.loop.eventLoop(), () -> OutOfBandEnd.open(loop.loop, timeoutMillis))
        .map(exchange -> new ExchangedEnd(node.directory().nodeId(), loop, exchange, choice));
    });
  }

  public FabricChoice choice() {
    return choice;
  }

  public byte[] description() {
    return description.clone();
  }

  /**
   * Connects to the peer's endpoint. The side whose description is smaller, compared as unsigned bytes, is the connector.
   *
   * @param opener sets the link's handler; called on the link's loop
   */
  public <T> Future<T> connect(byte[] peerDescription, byte[] data, BiFunction<Link, FabricChoice, T> opener) {
    EndDescription peer;
    try {
      peer = check(peerDescription);
    } catch (RdmaException e) {
      return Future.failedFuture(e);
    }
    String peerName = "node " + peer.nodeId();
    boolean first = Arrays.compareUnsigned(description, peerDescription) < 0;
    return LoopCall.on(loop.loop.eventLoop(), () -> {
      if (first) {
        LinkIdentity identity = loop.between(peer.nodeId(), description, peerDescription);
        return exchange.connect(peer.address(), identity, peerName, "", data, link -> opener.apply(link, choice));
      }
      List<T> made = new ArrayList<>(1);
      return exchange.accept(peer.address(), loop.between(peer.nodeId(), peerDescription, description), peerName, incoming -> {
        Link link = incoming.accept(data);
        if (link != null) {
          made.add(opener.apply(link, choice));
        }
      }).map(link -> made.getFirst());
    });
  }

  private EndDescription check(byte[] peerDescription) {
    EndDescription peer = EndDescription.decode(peerDescription);
    if (Arrays.equals(peerDescription, description)) {
      throw new RdmaException(Reason.UNREACHABLE, "cannot connect: the token is that of this RdmaOffer itself. Pass the token of "
        + "the peer's RdmaOffer.");
    }
    if (!peer.fabric().equals(choice.fabric())) {
      throw new RdmaException(Reason.UNREACHABLE,
        "cannot connect: the RdmaOffer of node " + peer.nodeId() + " is on fabric '" + peer.fabric() + "', and this one is on "
          + "'" + choice.fabric() + "' (" + choice.device() + "). Create both on one fabric, with setFabric of their options");
    }
    return peer;
  }

  public boolean hasFailed() {
    return exchange.hasFailed();
  }

  public Future<Void> close() {
    // A loop that has ended has closed the endpoint.
    return LoopCall.<Void>on(loop.loop.eventLoop(), () -> {
      exchange.close();
      return Future.succeededFuture();
    }).otherwiseEmpty();
  }
}
