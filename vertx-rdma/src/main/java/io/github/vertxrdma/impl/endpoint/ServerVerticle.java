package io.github.vertxrdma.impl.endpoint;

import io.github.vertxrdma.endpoint.RdmaEndpointOptions;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Serves an endpoint, on one event loop: its own, or another of its Vert.x where an instance is on that one already. */
final class ServerVerticle implements Deployable {
  private static final Set<Place> PLACES = ConcurrentHashMap.newKeySet();

  private final String name;
  private final EndpointNode node = new EndpointNode();
  private EndpointServer server;
  private Place place;

  /** Where an instance is. */
  private record Place(EventLoop loop, String name, String rdma) {
  }

  ServerVerticle(String name) {
    this.name = name;
  }

  @Override
  public Future<?> deploy(Context deployed) {
    ContextInternal context = (ContextInternal) deployed;
    RdmaEndpointOptions options = new RdmaEndpointOptions(context.config());
    String rdma = options.getRdma() == null ? "" : options.getRdma().toJson().encode();
    place = take(context, rdma);
    if (place == null) {
      return context.failedFuture(new IllegalStateException("endpoint '" + name + "' has an instance on every event loop of this Vert.x"
        + " already; deploy no more instances than it has event loops"));
    }
    ContextInternal own = context.owner().contextBuilder().withEventLoop(place.loop).build();
    server = new EndpointServer(own, name, options);
    Future<Void> listening = node.acquire(own, options).compose(server::listen);
    // What fails to deploy is not undeployed.
    return context.future(promise -> listening.recover(cause -> release().transform(v -> Future.failedFuture(cause))).onComplete(promise));
  }

  private Place take(ContextInternal context, String rdma) {
    Place own = new Place(context.nettyEventLoop(), name, rdma);
    if (PLACES.add(own)) {
      return own;
    }
    for (EventExecutor loop : ((VertxInternal) context.owner()).eventLoopGroup()) {
      Place other = new Place((EventLoop) loop, name, rdma);
      if (PLACES.add(other)) {
        return other;
      }
    }
    return null;
  }

  private Future<Void> release() {
    PLACES.remove(place);
    return node.release();
  }

  @Override
  public Future<?> undeploy(Context deployed) {
    return ((ContextInternal) deployed).future(promise -> server.close().transform(v -> release()).onComplete(promise));
  }
}
