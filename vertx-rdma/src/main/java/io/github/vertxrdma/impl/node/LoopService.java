package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.auth.Authorization;
import io.github.vertxrdma.impl.auth.SecretHandshake;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.github.vertxrdma.impl.opening.LinkIdentity;
import io.github.vertxrdma.impl.opening.LinkListener;
import io.github.vertxrdma.impl.wire.Greeting;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/**
 * Services of one device loop: those told apart by name behind one listener, and servers with a port of their own. Confined to the loop.
 */
final class LoopService {
  /** Listeners of peers whose announced nonces are kept. */
  private static final int MOST_KNOWN = 64;

  final DeviceLoop loop;
  private final Supplier<NodeEntry> self;
  private final SecretHandshake handshake;
  private final Authorization authorization;
  private final LinkWatcher watcher;
  private final int timeoutMillis;
  private final Map<String, ArrayDeque<LinkListener.Acceptor>> services = new HashMap<>();
  /** Listeners of peers, by address, to which this node connected lately. */
  private final Map<FabricAddress, Known> known = new LinkedHashMap<>(16, 0.75f, true) {
    @Override
    protected boolean removeEldestEntry(Map.Entry<FabricAddress, Known> eldest) {
      return size() > MOST_KNOWN;
    }
  };
  /** Random, so that one of an older run of the node is not met by mistake. */
  private final long number = ThreadLocalRandom.current().nextLong();
  private LinkListener listener;

  /** @param timeoutMillis how long a handshake may take */
  LoopService(DeviceLoop loop, Supplier<NodeEntry> self, SecretHandshake handshake, Authorization authorization, LinkWatcher watcher,
    int timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
    this.loop = loop;
    this.self = self;
    this.handshake = handshake;
    this.authorization = authorization;
    this.watcher = watcher;
  }

  /** The identity of this node for a listener of a peer. @param peer as the directory had it when the identity was made */
  private record Known(NodeEntry peer, LinkIdentity identity) {
  }

  /** Returns the identity of this node for a peer that the directory knows, at an address of the peer. */
  LinkIdentity to(NodeEntry peer, FabricAddress address) {
    Known of = known.get(address);
    if (of == null || !of.peer.equals(peer)) {
      of = new Known(peer, new LinkIdentity(self, handshake.to(peer, address), watcher, peer.nodeId(), address.device()));
      known.put(address, of);
    }
    return of.identity;
  }

  /** The identity of this node for a peer of whom only the address is known. */
  LinkIdentity toUnknown() {
    return new LinkIdentity(self, handshake, watcher);
  }

  /** The identity of this node for the peer that it exchanged tokens with. */
  LinkIdentity between(String peer, byte[] connector, byte[] acceptor) {
    return new LinkIdentity(self, handshake.between(peer, connector, acceptor), watcher);
  }

  /** The identity of this node as a listener. */
  private LinkIdentity at(EndpointAddress local) {
    return new LinkIdentity(self, handshake.at(FabricAddress.of(loop.domain.device(), 0, local)), watcher);
  }

  /**
   * Serves a name; several that do, such as instances of a verticle, are given links in turn.
   *
   * @return where it can be reached: at a listener, by an introduction, or both
   */
  Future<List<EndpointAddress>> serve(String service, LinkListener.Acceptor acceptor) {
    services.computeIfAbsent(service, name -> new ArrayDeque<>()).add(acceptor);
    Capabilities capabilities = loop.domain.capabilities();
    if (!capabilities.connectsBy(Connecting.LISTENER)) {
      return Future.succeededFuture(List.of(Introductions.address(this)));
    }
    return listener().map(made -> capabilities.connectsBy(Connecting.EXCHANGE)
      ? List.of(made.localAddress(), Introductions.address(this)) : List.of(made.localAddress()))
      .onFailure(cause -> withdraw(service, acceptor));
  }

  /** A number that tells it from all others of this node; any thread. */
  long number() {
    return number;
  }

  private Future<LinkListener> listener() {
    if (listener != null) {
      return Future.succeededFuture(listener);
    }
    // The device knows the node's host since discovery, and takes an address of its own where that is none.
    Future<LinkListener> made = LinkListener.listen(loop, null, timeoutMillis, this::at, this::dispatch);
    if (made.succeeded()) {
      listener = made.result();
    }
    return made;
  }

  /** Serves a port of its own, whatever name is asked for. */
  Future<LinkListener> listen(EndpointAddress local, LinkListener.Acceptor acceptor) {
    EndpointAddress[] bound = {local};
    return LinkListener.listen(loop, local, timeoutMillis, this::at, link -> {
      if (mayConnect(link, String.valueOf(bound[0]))) {
        acceptor.greeted(link);
      }
    }).onSuccess(made -> bound[0] = made.localAddress());
  }

  /** Gives a link to whoever serves what it wants. */
  void dispatch(IncomingLink link) {
    String service = link.greeting().service();
    ArrayDeque<LinkListener.Acceptor> acceptors = services.get(service);
    if (acceptors == null && service.equals(Echo.SERVICE)) {
      Echo.on(link);
      return;
    }
    if (acceptors == null) {
      link.refuse(Reason.NOT_FOUND, "'" + service + "' is not served here (any more)");
      return;
    }
    String name = Greeting.serviceOf(service);
    if (name != null && !mayConnect(link, name)) {
      return;
    }
    LinkListener.Acceptor next = acceptors.poll();
    acceptors.add(next);
    next.greeted(link);
  }

  /** Asks the authorizer, and refuses the link if it does. */
  private boolean mayConnect(IncomingLink link, String service) {
    String refusal = authorization.refuseConnect(link.greeting().nodeId(), service);
    if (refusal != null) {
      link.refuse(refusal);
    }
    return refusal == null;
  }

  void withdraw(String service, LinkListener.Acceptor acceptor) {
    ArrayDeque<LinkListener.Acceptor> acceptors = services.get(service);
    if (acceptors != null && acceptors.remove(acceptor) && acceptors.isEmpty()) {
      services.remove(service);
    }
    if (services.isEmpty() && listener != null) {
      listener.close();
      listener = null;
    }
  }

  Future<Void> close(Throwable cause) {
    services.clear();
    if (listener != null) {
      listener.close();
      listener = null;
    }
    return loop.close(cause);
  }
}
