package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.poll.LoopCall;
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

/** A service that listens by name on several fabrics, or on a port. */
public final class ListeningService {
  private static final Logger LOG = LoggerFactory.getLogger(ListeningService.class);
  private static final AtomicInteger INSTANCES = new AtomicInteger();

  private final List<Supplier<Future<Void>>> closers = new ArrayList<>();
  private final List<FabricAddress> addresses = new ArrayList<>();
  private int port = -1;
  private Function<JsonObject, Future<Void>> publisher;

  private ListeningService() {
  }

  /** Returns -1 without a port. */
  public int port() {
    return port;
  }

  public List<FabricAddress> addresses() {
    return List.copyOf(addresses);
  }

  public static Future<ListeningService> byName(Node node, ContextInternal context, String name, JsonObject metadata,
    LinkListener.Acceptor acceptor) {
    return byService(node, context, Greeting.wanting(name), acceptor).compose(listening -> {
      int instance = INSTANCES.getAndIncrement();
      listening.publisher = published -> node.directory().publish(listening.entry(node, name, instance, published));
      return listening.publish(metadata).compose(v -> {
        // Withdraws the name before the listeners close.
        listening.closers.addFirst(() -> node.directory().withdraw(listening.entry(node, name, instance, metadata)));
        return Future.succeededFuture(listening);
      }, cause -> listening.close().transform(v -> Future.failedFuture(cause)));
    });
  }

  private ServiceEntry entry(Node node, String name, int instance, JsonObject metadata) {
    return new ServiceEntry(name, node.directory().nodeId(), node.directory().epoch(), instance, addresses, metadata);
  }

  public boolean isNamed() {
    return publisher != null;
  }

  public Future<Void> publish(JsonObject metadata) {
    return publisher.apply(metadata);
  }

  /** Listens without publishing a name. */
  static Future<ListeningService> byService(Node node, ContextInternal context, String service, LinkListener.Acceptor acceptor) {
    ListeningService listening = new ListeningService();
    return listening.add(node, context, node.devices.listening(), service, acceptor).compose(failures -> listening.addresses.isEmpty()
      ? Future.failedFuture(new RdmaException(Reason.UNREACHABLE, "no fabric to listen on: " + String.join("; ", failures)))
      : Future.succeededFuture(listening));
  }

  /** Listens on more devices. @return why some fail */
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
    return node.loop(context, device).compose(loop -> LoopCall.on(loop.loop.eventLoop(), () -> loop.serve(service, acceptor))
      .map(where -> {
        where.forEach(address -> addresses.add(FabricAddress.of(device, 0, address)));
        closers.add(() -> LoopCall.on(loop.loop.eventLoop(), () -> {
          loop.withdraw(service, acceptor);
          return Future.succeededFuture();
        }));
        return null;
      }));
  }

  public static Future<ListeningService> byAddress(Node node, ContextInternal context, SocketAddress address,
    LinkListener.Acceptor acceptor) {
    Device device = node.devices.byIp();
    if (device == null) {
      return Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "no fabric here is reached by host and port; listen by name"));
    }
    return node.resolve(address).compose(inet -> node.loop(context, device).compose(loop -> LoopCall.on(loop.loop.eventLoop(),
      () -> loop.listen(EndpointAddress.of(inet), acceptor)).map(listener -> {
        ListeningService listening = new ListeningService();
        InetSocketAddress local = listener.localAddress().toInet();
        listening.port = local.getPort();
        listening.addresses.add(FabricAddress.of(device, 0, listener.localAddress()));
        listening.closers.add(() -> LoopCall.on(loop.loop.eventLoop(), () -> {
          listener.close();
          return Future.succeededFuture();
        }));
        return listening;
      })));
  }

  public Future<Void> close() {
    Future<Void> all = Future.succeededFuture();
    for (Supplier<Future<Void>> closer : closers) {
      all = all.transform(v -> closer.get());
    }
    return all.otherwiseEmpty();
  }
}
