package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.impl.connection.ClosingScope;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.node.Node;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.util.function.Supplier;

/** Creates clients that close with their {@code Rdma} and verticle. */
public final class BusClients {
  private BusClients() {
  }

  /** Connects on the context's event loop. */
  public static Future<RdmaBusClient> open(ContextInternal context, Supplier<Future<Node>> node, String name, RdmaBusClientOptions options,
    ClosingScope opened) {
    ContextInternal own = context.owner().contextBuilder().withEventLoop(context.nettyEventLoop()).build();
    BusClient client = new BusClient(new EventLoopHost(own), () -> node.get().map(n -> new NodeInstances(n, own, name, options)), name,
      options);
    Supplier<Future<Void>> closer = client::close;
    client.whenClosed(() -> opened.remove(closer));
    opened.add(closer);
    return client.open();
  }
}
