package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.loop.EventLoopHost;
import io.github.vertxrdma.impl.opening.LinkListener;
import io.github.vertxrdma.impl.wire.Greeting;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;

/** Something that listens, by name on several fabrics or on a port of its own, until it is closed. */
public final class Served {
  private static final Logger LOG = LoggerFactory.getLogger(Served.class);
  private static final AtomicInteger INSTANCES = new AtomicInteger();

  private final List<Supplier<Future<Void>>> closers = new ArrayList<>();
  private final List<FabricAddress> addresses = new ArrayList<>();
  private int port = -1;
  /** Publishes the name with metadata; null without a name. */
  private Function<JsonObject, Future<Void>> publisher;

  private Served() {
  }

  /** The port, -1 by name. */
  public int port() {
    return port;
  }

  /** Addresses at which it can be reached. */
  public List<FabricAddress> addresses() {
    return List.copyOf(addresses);
  }

  /** Listens on every fabric that is worth it and publishes the name. */
  public static Future<Served> byName(Node node, ContextInternal context, String name, JsonObject metadata,
    LinkListener.Acceptor acceptor) {
    return byService(node, context, Greeting.wanting(name), acceptor).compose(served -> {
      int instance = INSTANCES.getAndIncrement();
      served.publisher = told -> node.directory().publish(served.entry(node, name, instance, told));
      return served.publish(metadata).compose(v -> {
        // Withdrawn before the listeners close.
        served.closers.addFirst(() -> node.directory().withdraw(served.entry(node, name, instance, metadata)));
        return Future.succeededFuture(served);
      }, cause -> served.close().transform(v -> Future.failedFuture(cause)));
    });
  }

  private ServiceEntry entry(Node node, String name, int instance, JsonObject metadata) {
    return new ServiceEntry(name, node.directory().nodeId(), node.directory().epoch(), instance, addresses, metadata);
  }

  /** Tells whether the directory has it under a name. */
  public boolean isNamed() {
    return publisher != null;
  }

  /** Tells the directory other metadata of the name. */
  public Future<Void> publish(JsonObject metadata) {
    return publisher.apply(metadata);
  }

  /** Listens on every fabric that is worth it, for those who know where. */
  static Future<Served> byService(Node node, ContextInternal context, String service, LinkListener.Acceptor acceptor) {
    Served served = new Served();
    return served.add(node, context, node.devices.listening(), service, acceptor).compose(failures -> served.addresses.isEmpty()
      ? Future.failedFuture(new RdmaException(Reason.UNREACHABLE, "no fabric to listen on: " + String.join("; ", failures)))
      : Future.succeededFuture(served));
  }

  /** Listens on these devices too. @return why not on some */
  Future<List<String>> add(Node node, ContextInternal context, List<Device> devices, String service, LinkListener.Acceptor acceptor) {
    List<String> failures = new ArrayList<>();
    Future<Void> all = Future.succeededFuture();
    for (Device device : devices) {
      all = all.compose(v -> add(node, context, device, service, acceptor)).recover(cause -> {
        failures.add(device.name() + ": " + cause.getMessage());
        LOG.warn("'" + service + "' does not listen on " + device.name() + ": " + cause.getMessage());
        return Future.succeededFuture();
      });
    }
    return all.map(failures);
  }

  private Future<Void> add(Node node, ContextInternal context, Device device, String service, LinkListener.Acceptor acceptor) {
    return node.loop(context, device).compose(loop -> EventLoopHost.on(loop.loop.eventLoop(), () -> loop.serve(service, acceptor))
      .map(where -> {
        where.forEach(address -> addresses.add(FabricAddress.of(device, 0, address)));
        closers.add(() -> EventLoopHost.on(loop.loop.eventLoop(), () -> {
          loop.withdraw(service, acceptor);
          return Future.succeededFuture();
        }));
        return null;
      }));
  }

  /** Listens on a port, over the best connected fabric that is reached by IP. */
  public static Future<Served> byAddress(Node node, ContextInternal context, SocketAddress address, LinkListener.Acceptor acceptor) {
    Device device = node.devices.byIp();
    if (device == null) {
      return Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "no fabric here is reached by host and port; listen by name"));
    }
    return node.resolve(address).compose(inet -> node.loop(context, device).compose(loop -> EventLoopHost.on(loop.loop.eventLoop(),
      () -> loop.listen(EndpointAddress.of(inet), acceptor)).map(listener -> {
        Served served = new Served();
        InetSocketAddress local = listener.localAddress().toInet();
        served.port = local.getPort();
        served.addresses.add(FabricAddress.of(device, 0, listener.localAddress()));
        served.closers.add(() -> EventLoopHost.on(loop.loop.eventLoop(), () -> {
          listener.close();
          return Future.succeededFuture();
        }));
        return served;
      })));
  }

  /** Withdraws the name and stops listening. */
  public Future<Void> close() {
    Future<Void> all = Future.succeededFuture();
    for (Supplier<Future<Void>> closer : closers) {
      all = all.transform(v -> closer.get());
    }
    return all.otherwiseEmpty();
  }
}
