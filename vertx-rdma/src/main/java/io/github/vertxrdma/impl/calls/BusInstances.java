package io.github.vertxrdma.impl.calls;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.peers.LookupFailure;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

public interface BusInstances {

  int closeMillis();

  boolean isSuspected(String nodeId);

  Future<List<ServiceEntry>> await(long millis);

  /** @param opened creates the link's owner, on the link's event loop */
  <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened);

  /** Instances of a service in a node's directory. */
  record OfNode(Node node, ContextInternal context, String name, RdmaBusClientOptions options) implements BusInstances {

    @Override
    public int closeMillis() {
      return (int) node.options().getCloseTimeout().toMillis();
    }

    @Override
    public boolean isSuspected(String nodeId) {
      return node.isSuspected(nodeId);
    }

    @Override
    public Future<List<ServiceEntry>> await(long millis) {
      return node.directory().awaitServices(name, Duration.ofMillis(millis))
        .recover(cause -> LookupFailure.ofService(node.directory(), name, options.getLookupTimeout().toMillis(), cause));
    }

    @Override
    public <T> Future<T> connect(ServiceEntry instance, BiFunction<Link, FabricChoice, T> opened) {
      NodeEntry peer = node.directory().node(instance.nodeId()).orElse(NodeEntry.local(instance.nodeId(), instance.epoch()));
      return new Connector(node, context, instance.toString(), Greeting.wanting(name), BusWire.hello(), options.getFabric())
        .peer(peer, instance.addresses()).connect(opened);
    }
  }
}
