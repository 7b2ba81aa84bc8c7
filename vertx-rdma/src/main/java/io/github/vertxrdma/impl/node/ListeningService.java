package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.FabricAddress;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.device.Reasons;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.EndpointAddress;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A service that listens by name on several fabrics, or on a port. */
public final class ListeningService {
  private static final Logger LOG = LoggerFactory.getLogger(ListeningService.class);
  private static final AtomicInteger INSTANCES = new AtomicInteger();
  /** First pause before a service listens again; each is twice the one before. */
  private static final long RETRY_MILLIS = 1_000;
  private static final long LONGEST_RETRY_MILLIS = 8_000;

  private final List<Supplier<Future<Void>>> closers = new CopyOnWriteArrayList<>();
  private final List<FabricAddress> addresses = new CopyOnWriteArrayList<>();
  private volatile int port = -1;
  private volatile Function<JsonObject, Future<Void>> publisher;
  private volatile JsonObject metadata;
  /** True once it is being closed: nothing is published any more. */
  private volatile boolean closed;
  private volatile Runnable moved = () -> {
  };
  /** Names of the devices that it listens on, or will listen on. */
  private final Set<String> devices = ConcurrentHashMap.newKeySet();

  private ListeningService() {
  }

  /** Returns -1 without a port. */
  public int port() {
    return port;
  }

  /** Returns whether the service listens on a device, or will: it begins to, or the device's completion queue is being replaced. */
  boolean listensOn(Device device) {
    return devices.contains(device.name());
  }

  public List<FabricAddress> addresses() {
    return List.copyOf(addresses);
  }

  public static Future<ListeningService> byName(Node node, ContextInternal context, String name, JsonObject metadata,
    LinkListener.Acceptor acceptor) {
    return byService(node, context, Greeting.wanting(name), acceptor, device -> true).compose(listening -> {
      int instance = INSTANCES.getAndIncrement();
      // First: a device that is found meanwhile makes it publish.
      listening.metadata = metadata;
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

  public Future<Void> publish(JsonObject published) {
    metadata = published;
    return publisher.apply(published);
  }

  /** Sets what is called when the service listens at other addresses, since a completion queue has failed. Any thread. */
  public void movedHandler(Runnable handler) {
    moved = handler;
  }

  /** Listens without publishing a name. @param late returns whether to listen also on a device that was found later */
  static Future<ListeningService> byService(Node node, ContextInternal context, String service, LinkListener.Acceptor acceptor,
    Predicate<Device> late) {
    ListeningService listening = new ListeningService();
    Consumer<List<Device>> added = found -> listening.addLate(node, context, found.stream().filter(late).toList(), service, acceptor);
    // Before the devices are listed, so that none is missed that is found meanwhile.
    node.lateDevices.addListener(added);
    listening.closers.add(() -> {
      node.lateDevices.removeListener(added);
      return Future.succeededFuture();
    });
    return listening.add(node, context, node.devices.listening(), service, acceptor)
      .compose(failures -> listening.addresses.isEmpty()
        ? listening.close().transform(v -> Future.failedFuture(
          new RdmaException(Reason.UNREACHABLE, "no fabric to listen on: " + String.join("; ", failures))))
        : Future.succeededFuture(listening));
  }

  /** Listens on devices that were missing when the service began to listen. */
  private void addLate(Node node, ContextInternal context, List<Device> found, String service, LinkListener.Acceptor acceptor) {
    List<Device> more = found.stream().filter(node.devices.listening()::contains).filter(device -> !listensOn(device)).toList();
    if (!closed && !more.isEmpty()) {
      add(node, context, more, service, acceptor).onSuccess(failures -> announce());
    }
  }

  /** Publishes other addresses than before. */
  private void announce() {
    if (publisher != null) {
      publishMoved().onFailure(cause -> LOG.warn("The new addresses of a service were not published: " + cause.getMessage()));
    }
    moved.run();
  }

  /** Listens on more devices, unless it does already. @return why some fail */
  Future<List<String>> add(Node node, ContextInternal context, List<Device> more, String service, LinkListener.Acceptor acceptor) {
    List<String> failures = new ArrayList<>();
    Future<Void> all = Future.succeededFuture();
    for (Device device : more) {
      if (!devices.add(device.name())) {
        continue;
      }
      all = all.compose(v -> add(node, context, device, service, acceptor)).recover(cause -> {
        devices.remove(device.name());
        String why = device.name() + ": " + Reasons.words(cause, device);
        failures.add(why);
        LOG.warn("'" + service + "' does not listen on " + why);
        return Future.succeededFuture();
      });
    }
    return all.map(failures);
  }

  private Future<Void> add(Node node, ContextInternal context, Device device, String service, LinkListener.Acceptor acceptor) {
    return add(new Place(node, context, device, loop -> loop.serve(service, acceptor).map(where -> new Served(where,
      () -> loop.withdraw(service, acceptor)))));
  }

  private Future<Void> add(Place place) {
    return place.listen().onSuccess(v -> {
      devices.add(place.device.name());
      closers.add(place::close);
      if (closed) {
        place.close();
      }
    });
  }

  /** @param stop stops listening, on the loop */
  private record Served(List<EndpointAddress> where, Runnable stop) {
  }

  /** A device that the service listens on. It listens again when the completion queue of the device has failed. */
  private final class Place {
    private final Node node;
    private final ContextInternal context;
    private final Device device;
    private final Function<LoopService, Future<Served>> listener;
    private final Runnable lostHandler = this::lost;
    /** Null while it does not listen. These three are confined to the event loop. */
    private LoopService loop;
    private Served served;
    private long since;
    private boolean warned;
    /** The last pause in milliseconds; 0 after a queue that lasted. */
    private volatile long pause;
    /** Null before it has listened. */
    private volatile EventLoop eventLoop;

    Place(Node node, ContextInternal context, Device device, Function<LoopService, Future<Served>> listener) {
      this.node = node;
      this.context = context;
      this.device = device;
      this.listener = listener;
    }

    Future<Void> listen() {
      return node.loop(context, device).compose(found -> LoopCall.on(found.loop.eventLoop(), () -> listener.apply(found).map(now -> {
        eventLoop = found.loop.eventLoop();
        loop = found;
        served = now;
        since = System.nanoTime();
        now.where.forEach(address -> addresses.add(FabricAddress.of(device, 0, address)));
        found.onLost(lostHandler);
        return null;
      })));
    }

    private void lost() {
      stop();
      if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS)) {
        pause = 0;
        listenAgain();
      } else {
        // The next queue fails as well.
        listenLater();
      }
    }

    private void listenLater() {
      pause = Math.clamp(2 * pause, RETRY_MILLIS, LONGEST_RETRY_MILLIS);
      node.vertx().setTimer(pause, timer -> listenAgain());
    }

    private void stop() {
      if (loop != null) {
        loop.forget(lostHandler);
        served.where.forEach(address -> addresses.remove(FabricAddress.of(device, 0, address)));
        served.stop.run();
        loop = null;
      }
    }

    private void listenAgain() {
      if (closed) {
        return;
      }
      listen().onSuccess(v -> {
        LOG.info("A service listens on " + device.name() + " again, whose completion queue had failed");
        if (closed) {
          close();
          return;
        }
        warned = false;
        announce();
      }).onFailure(cause -> {
        if (!(cause instanceof RdmaException refusal && refusal.reason() == Reason.CLOSED)) {
          if (!warned) {
            warned = true;
            LOG.warn("A service does not listen on " + device.name() + " again yet: " + cause.getMessage());
          }
          listenLater();
        }
      });
    }

    Future<Void> close() {
      return LoopCall.on(eventLoop, () -> {
        stop();
        return Future.succeededFuture();
      });
    }
  }

  public static Future<ListeningService> byAddress(Node node, ContextInternal context, SocketAddress address,
    LinkListener.Acceptor acceptor) {
    Device device = node.devices.byIp();
    if (device == null) {
      return Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "no fabric here is reached by host and port; listen by name"));
    }
    ListeningService listening = new ListeningService();
    return node.resolve(address).compose(inet -> listening.add(listening.new Place(node, context, device, loop -> {
      InetSocketAddress at = listening.port < 0 ? inet : new InetSocketAddress(inet.getAddress(), listening.port);
      return loop.listen(EndpointAddress.of(at), acceptor).map(listener -> {
        listening.port = listener.localAddress().toInet().getPort();
        return new Served(List.of(listener.localAddress()), listener::close);
      });
    }))).map(listening);
  }

  /** Publishes, unless a close has begun: nothing may follow the withdrawal. */
  private synchronized Future<Void> publishMoved() {
    return closed ? Future.succeededFuture() : publish(metadata);
  }

  public Future<Void> close() {
    synchronized (this) {
      closed = true;
    }
    Future<Void> all = Future.succeededFuture();
    for (Supplier<Future<Void>> closer : closers) {
      all = all.transform(v -> closer.get());
    }
    return all.otherwiseEmpty();
  }
}
