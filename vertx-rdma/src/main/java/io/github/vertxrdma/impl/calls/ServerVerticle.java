package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;

final class ServerVerticle implements Deployable {
  private final String name;
  private final VerticleNode node = new VerticleNode();
  private BusServer server;

  ServerVerticle(String name) {
    this.name = name;
  }

  @Override
  public Future<?> deploy(Context deployed) {
    ContextInternal context = (ContextInternal) deployed;
    RdmaBusServiceOptions options = new RdmaBusServiceOptions(context.config());
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    server = new BusServer(new EventLoopHost(own), name, options);
    Future<Void> listening = node.acquire(own, name, options.getRdma()).compose(server::listen);
    // A failed deployment is not undeployed.
    return context.future(promise -> listening.recover(cause -> node.release().transform(v -> Future.failedFuture(cause)))
      .onComplete(promise));
  }

  @Override
  public Future<?> undeploy(Context deployed) {
    return ((ContextInternal) deployed).future(promise -> server.close().transform(v -> node.release()).onComplete(promise));
  }
}
