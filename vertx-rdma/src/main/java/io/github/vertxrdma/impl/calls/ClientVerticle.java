package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.internal.ContextInternal;

/** Forwards messages from a local address to a service of another node. */
final class ClientVerticle implements Deployable {
  private final String name;
  private final VerticleNode node = new VerticleNode();
  private BusClient client;
  private MessageConsumer<Object> consumer;

  ClientVerticle(String name) {
    this.name = name;
  }

  @Override
  public Future<?> deploy(Context deployed) {
    ContextInternal context = (ContextInternal) deployed;
    RdmaBusClientOptions options = new RdmaBusClientOptions(context.config());
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    ReceivedCodec.register(own.owner());
    Future<Node> acquired = node.acquire(own, name, options.getRdma());
    client = new BusClient(new EventLoopHost(own), () -> acquired.map(n -> new NodeInstances(n, own, name, options)), name, options);
    Future<Void> consuming = client.open().compose(open -> own.succeededFuture().compose(v -> {
      consumer = own.owner().eventBus().localConsumer(options.getAddress() == null ? name : options.getAddress());
      consumer.handler(client::forward);
      return consumer.completion();
    }));
    // A failed deployment is not undeployed.
    return context.future(promise -> consuming.recover(cause -> end().transform(v -> Future.failedFuture(cause))).onComplete(promise));
  }

  @Override
  public Future<?> undeploy(Context deployed) {
    return ((ContextInternal) deployed).future(promise -> end().onComplete(promise));
  }

  private Future<Void> end() {
    Future<Void> unregistered = consumer == null ? Future.succeededFuture() : consumer.unregister();
    return unregistered.transform(v -> client.close()).transform(v -> node.release());
  }
}
