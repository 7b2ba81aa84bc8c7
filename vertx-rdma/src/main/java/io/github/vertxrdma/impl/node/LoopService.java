package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.PeerText;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.LinkIdentity;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.link.LinkWatcher;
import io.github.vertxrdma.impl.peers.Authorization;
import io.github.vertxrdma.impl.peers.SecretHandshake;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Capabilities.Connecting;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;

/** Listeners of a device loop: one for all service names, and one for each port. Confined to the event loop. */
final class LoopService {
  final DeviceLoop loop;
  private final Supplier<NodeEntry> self;
  private final SecretHandshake handshake;
  private final Authorization authorization;
  private final LinkWatcher watcher;
  private final int timeoutMillis;
  private final Map<String, ArrayDeque<LinkListener.Acceptor>> services = new HashMap<>();
  /** Number of this loop in addresses. Random, so that it differs from the numbers of earlier processes. */
  final long number = ThreadLocalRandom.current().nextLong();
  private Future<LinkListener> listening;
  private final Set<Runnable> lostHandlers = new LinkedHashSet<>();

  LoopService(DeviceLoop loop, Supplier<NodeEntry> self, SecretHandshake handshake, Authorization authorization, LinkWatcher watcher,
    int timeoutMillis) {
    this.timeoutMillis = timeoutMillis;
    this.loop = loop;
    this.self = self;
    this.handshake = handshake;
    this.authorization = authorization;
    this.watcher = watcher;
    loop.lostHandler(() -> List.copyOf(lostHandlers).forEach(loop::runAll));
  }

  /** Calls the handler when the loop's completion queue fails, or soon if it has failed already. */
  void onLost(Runnable handler) {
    if (loop.lost() == null) {
      lostHandlers.add(handler);
    } else {
      loop.host.execute(handler);
    }
  }

  void forget(Runnable lostHandler) {
    lostHandlers.remove(lostHandler);
  }

  LinkIdentity to(NodeEntry peer, FabricAddress address) {
    return new LinkIdentity(self, handshake.to(peer, address), watcher, peer.nodeId(), address.device());
  }

  LinkIdentity toUnknown() {
    return new LinkIdentity(self, handshake, watcher);
  }

  LinkIdentity between(String peer, byte[] connector, byte[] acceptor) {
    return new LinkIdentity(self, handshake.between(peer, connector, acceptor), watcher);
  }

  private LinkIdentity at(EndpointAddress local) {
    return new LinkIdentity(self, handshake.at(FabricAddress.of(loop.domain.device(), 0, local)), watcher);
  }

  /**
   * Accepts links to a service. Several acceptors of one name get links in rotation. @return addresses of the listener and for
   * {@link IntroducedConnector}
   */
  Future<List<EndpointAddress>> serve(String service, LinkListener.Acceptor acceptor) {
    services.computeIfAbsent(service, name -> new ArrayDeque<>()).add(acceptor);
    Capabilities capabilities = loop.domain.capabilities();
    if (!capabilities.connectsBy(Connecting.LISTENER)) {
      return Future.succeededFuture(List.of(IntroducedConnector.address(this)));
    }
    return listener().map(created -> capabilities.connectsBy(Connecting.EXCHANGE)
      ? List.of(created.localAddress(), IntroducedConnector.address(this)) : List.of(created.localAddress()))
      .onFailure(cause -> withdraw(service, acceptor));
  }

  private Future<LinkListener> listener() {
    if (listening != null) {
      return listening;
    }
    // A null address means the node's host.
    Future<LinkListener> created = LinkListener.listen(loop, null, timeoutMillis, this::at, this::dispatch);
    listening = created;
    return created.onFailure(cause -> {
      if (listening == created) {
        listening = null;
      }
    });
  }

  private void stopListening() {
    if (listening != null) {
      listening.onSuccess(LinkListener::close);
      listening = null;
    }
  }

  Future<LinkListener> listen(EndpointAddress local, LinkListener.Acceptor acceptor) {
    EndpointAddress[] bound = {local};
    return LinkListener.listen(loop, local, timeoutMillis, this::at, link -> {
      if (mayConnect(link, String.valueOf(bound[0]))) {
        acceptor.greeted(link);
      }
    }).onSuccess(created -> bound[0] = created.localAddress());
  }

  void dispatch(IncomingLink link) {
    String service = link.greeting().service();
    ArrayDeque<LinkListener.Acceptor> acceptors = services.get(service);
    if (acceptors == null && service.equals(Pings.SERVICE)) {
      Pings.respond(link);
      return;
    }
    if (acceptors == null) {
      link.refuse(Reason.NOT_FOUND, "'" + PeerText.of(service) + "' is not a server of this node, or was closed");
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
    if (services.isEmpty()) {
      stopListening();
    }
  }

  /** Closes the device loop after a failure, which the completion queue may not have reported yet. */
  Future<Void> closeFailed() {
    if (loop.lost() == null) {
      loop.failed(new RdmaException(Reason.CONNECTION_LOST, loop.domain.outage()));
    }
    return close(loop.lost());
  }

  Future<Void> close(Throwable cause) {
    services.clear();
    stopListening();
    return loop.close(cause);
  }
}
