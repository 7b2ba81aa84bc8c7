package io.github.vertxrdma.impl.endpoint;

import io.github.vertxrdma.endpoint.RdmaEndpointOptions;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;

/** Serves an endpoint on its event loop. */
final class ServerVerticle implements Deployable {
  private final String name;
  private final EndpointNode node = new EndpointNode();
  private EndpointServer server;

  ServerVerticle(String name) {
    this.name = name;
  }

  @Override
  public Future<?> deploy(Context deployed) {
    ContextInternal context = (ContextInternal) deployed;
    RdmaEndpointOptions options = new RdmaEndpointOptions(context.config());
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    server = new EndpointServer(own, name, options);
    Future<Void> listening = node.acquire(own, name, options).compose(server::listen);
    // A verticle that fails to deploy is not undeployed.
    return context.future(promise -> listening.recover(cause -> node.release().transform(v -> Future.failedFuture(cause)))
      .onComplete(promise));
  }

  @Override
  public Future<?> undeploy(Context deployed) {
    return ((ContextInternal) deployed).future(promise -> server.close().transform(v -> node.release()).onComplete(promise));
  }
}
