package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.impl.node.EncryptionPolicy;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.transport.TransportOptions;
import io.vertx.core.Context;
import io.vertx.core.Deployable;
import io.vertx.core.Future;
import io.vertx.core.eventbus.MessageConsumer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.util.concurrent.Callable;

/**
 * Verticle deployed by name. {@code rdma:orders} serves the service {@code orders}. {@code rdma:orders?connect} forwards messages from a
 * local address to it. Uses the node of its Vert.x.
 */
public final class BusVerticle implements Deployable {
  private static final String CONNECT = "connect";

  private final String name;
  private final boolean connects;
  private Future<SharedNode> share = Future.failedFuture("the verticle did not start");
  private volatile boolean ended;
  private BusServer server;
  private BusClient client;
  private MessageConsumer<Object> consumer;

  private BusVerticle(String name, boolean connects) {
    this.name = name;
    this.connects = connects;
  }

  public static Callable<Deployable> of(String identifier) {
    String rest = identifier.substring(identifier.indexOf(':') + 1);
    int mark = rest.indexOf('?');
    String name = mark < 0 ? rest : rest.substring(0, mark);
    String query = mark < 0 ? null : rest.substring(mark + 1);
    if (name.isEmpty() || query != null && !query.equals(CONNECT)) {
      throw new IllegalArgumentException("'" + identifier + "' names no service: deploy rdma:NAME to serve one, or "
        + "rdma:NAME?connect to use one");
    }
    return () -> new BusVerticle(name, query != null);
  }

  @Override
  public Future<?> deploy(Context deployed) {
    ContextInternal context = (ContextInternal) deployed;
    // Is on the verticle's event loop, and outlives the verticle.
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    Future<Void> begun = connects ? connect(own, new RdmaBusClientOptions(context.config()))
      : serve(own, new RdmaBusServiceOptions(context.config()));
    // Releases the node here, since Vert.x does not undeploy a verticle that failed to deploy.
    return context
      .future(promise -> begun.recover(cause -> endAndRelease().transform(v -> Future.failedFuture(cause))).onComplete(promise));
  }

  private Future<Void> serve(ContextInternal context, RdmaBusServiceOptions options) {
    server = new BusServer(new EventLoopHost(context), name, options);
    return acquire(context, options.getRdma()).compose(server::listen);
  }

  private Future<Void> connect(ContextInternal context, RdmaBusClientOptions options) {
    ReceivedCodec.register(context.owner());
    Future<Node> acquired = acquire(context, options.getRdma());
    client = BusClient.of(context, () -> acquired, name, options);
    return client.open().compose(open -> context.succeededFuture().compose(v -> {
      consumer = context.owner().eventBus().localConsumer(options.getAddress() == null ? name : options.getAddress());
      consumer.handler(client::forward);
      return consumer.completion();
    }));
  }

  private Future<Node> acquire(ContextInternal context, RdmaOptions options) {
    VertxInternal vertx = context.owner();
    share = BlockingCalls
      .once(context, () -> options == null ? TransportOptions.ofNodes(vertx) : TransportOptions.withProcessEncryption(vertx, options))
      .compose(effective -> EncryptionPolicy.unless(effective, "service '" + name + "'",
        () -> Future.succeededFuture(SharedNode.acquire(vertx, effective, null))));
    return share.compose(held -> ended ? Future.failedFuture("the verticle was undeployed during its start") : held.node());
  }

  @Override
  public Future<?> undeploy(Context deployed) {
    return ((ContextInternal) deployed).future(promise -> endAndRelease().onComplete(promise));
  }

  private Future<Void> endAndRelease() {
    ended = true;
    return end().transform(v -> share.transform(held -> held.succeeded() ? held.result().release() : Future.succeededFuture()));
  }

  private Future<Void> end() {
    if (server != null) {
      return server.close();
    }
    Future<Void> unregistered = consumer == null ? Future.succeededFuture() : consumer.unregister();
    return unregistered.transform(v -> client.close());
  }
}
