package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.base.Attempts;
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
  private static final long RETRY_MILLIS = 1_000;
  private static final Attempts.Limits PAUSES = Attempts.Limits.endless(RETRY_MILLIS, 8_000);

  private final Node node;
  private final ContextInternal context;
  private final String service;
  private final LinkListener.Acceptor acceptor;
  private final List<Supplier<Future<Void>>> closers = new CopyOnWriteArrayList<>();
  private final List<Bound> bound = new CopyOnWriteArrayList<>();
  private volatile int port = -1;
  private volatile String name;
  private int instance;
  private volatile JsonObject metadata;
  /** True when {@link #close} has begun. Nothing is published afterwards. */
  private volatile boolean closed;
  private final Set<Runnable> movedHandlers = ConcurrentHashMap.newKeySet();
  /** Names of the devices on which the service listens or will listen. */
  private final Set<String> devices = ConcurrentHashMap.newKeySet();

  private ListeningService(Node node, ContextInternal context, String service, LinkListener.Acceptor acceptor) {
    this.node = node;
    this.context = context;
    this.service = service;
    this.acceptor = acceptor;
  }

  /** Returns the port; -1 if the service listens by name only. */
  public int port() {
    return port;
  }

  boolean listensOn(Device device) {
    return devices.contains(device.name());
  }

  public List<FabricAddress> addresses() {
    return bound.stream().flatMap(each -> FabricAddress.all(each.device, 0, each.address).stream()).toList();
  }

  public static Future<ListeningService> byName(Node node, ContextInternal context, String name, JsonObject metadata,
    LinkListener.Acceptor acceptor) {
    return byService(node, context, Greeting.wanting(name), acceptor, device -> true, device -> true).compose(listening -> {
      // Set before the publication, because a device that is found meanwhile publishes the service again.
      listening.metadata = metadata;
      listening.instance = INSTANCES.getAndIncrement();
      listening.name = name;
      return listening.publish(metadata).compose(v -> {
        // Withdraws the name before the listeners close.
        listening.closers.addFirst(() -> node.directory().withdraw(listening.entry()));
        return Future.succeededFuture(listening);
      }, cause -> listening.close().transform(v -> Future.failedFuture(cause)));
    });
  }

  private ServiceEntry entry() {
    return new ServiceEntry(name, node.directory().nodeId(), node.directory().epoch(), instance, addresses(), metadata);
  }

  public boolean isNamed() {
    return name != null;
  }

  public Future<Void> publish(JsonObject published) {
    metadata = published;
    return node.directory().publish(entry());
  }

  /** Adds a handler for changes of the service's addresses. Thread-safe. */
  public void addMovedHandler(Runnable handler) {
    movedHandlers.add(handler);
  }

  public void removeMovedHandler(Runnable handler) {
    movedHandlers.remove(handler);
  }

  /**
   * Listens without publishing a name.
   *
   * @param early returns whether to listen on a device that is known now
   * @param late returns whether to listen on a device that is found later
   */
  static Future<ListeningService> byService(Node node, ContextInternal context, String service, LinkListener.Acceptor acceptor,
    Predicate<Device> early, Predicate<Device> late) {
    ListeningService listening = new ListeningService(node, context, service, acceptor);
    Consumer<List<Device>> added = found -> listening.addLate(found, late);
    // Added before the devices are listed, so that no new device is missed.
    node.devices.addListener(added);
    listening.closers.add(() -> {
      node.devices.removeListener(added);
      return Future.succeededFuture();
    });
    return listening.add(node.devices.listening().stream().filter(early).toList())
      .compose(failures -> listening.bound.isEmpty()
        ? listening.close().transform(v -> Future.failedFuture(
          new RdmaException(Reason.UNREACHABLE, "cannot listen on any fabric: " + String.join("; ", failures))))
        : Future.succeededFuture(listening));
  }

  private void addLate(List<Device> found, Predicate<Device> late) {
    List<Device> more = found.stream().filter(late).filter(node.devices.listening()::contains).filter(device -> !listensOn(device))
      .toList();
    if (!closed && (found.isEmpty() || !more.isEmpty())) {
      add(more).onSuccess(failures -> announce());
    }
  }

  private void announce() {
    if (isNamed()) {
      publishMoved().onFailure(cause -> LOG.warn("The new addresses of a server could not be published in the directory: "
        + cause.getMessage()));
    }
    movedHandlers.forEach(Runnable::run);
  }

  /** Listens on devices that are not used yet. @return messages of failures */
  Future<List<String>> add(List<Device> more) {
    List<String> failures = new ArrayList<>();
    Future<Void> all = Future.succeededFuture();
    for (Device device : more) {
      if (!devices.add(device.name())) {
        continue;
      }
      all = all.compose(v -> add(new DeviceListener(device, loop -> loop.serve(service, acceptor)
        .map(bound -> new Listening(bound, () -> loop.withdraw(service, acceptor)))))).recover(cause -> {
          devices.remove(device.name());
          String why = device.name() + ": " + Reasons.words(cause, device);
          failures.add(why);
          LOG.warn("'" + service + "' does not listen on " + why);
          return Future.succeededFuture();
        });
    }
    return all.map(failures);
  }

  private Future<Void> add(DeviceListener listener) {
    return listener.listen().onSuccess(v -> {
      devices.add(listener.device.name());
      closers.add(listener::close);
      if (closed) {
        listener.close();
      }
    });
  }

  private record Bound(Device device, EndpointAddress address) {
  }

  private record Listening(List<EndpointAddress> addresses, Runnable stop) {
  }

  /** A device that the service listens on. When its completion queue fails, the service listens again with a new one. */
  private final class DeviceListener {
    private final Device device;
    private final Function<LoopService, Future<Listening>> listener;
    private final Runnable lostHandler = this::lost;
    /** Null while the service does not listen. Confined to the event loop, like the next two fields. */
    private LoopService loop;
    private Listening listening;
    private long since;
    private boolean warned;
    /** Pauses between attempts to listen. Reset after a completion queue has worked for {@link #RETRY_MILLIS}. */
    private volatile Attempts attempts = new Attempts(PAUSES);
    private volatile EventLoop eventLoop;

    DeviceListener(Device device, Function<LoopService, Future<Listening>> listener) {
      this.device = device;
      this.listener = listener;
    }

    Future<Void> listen() {
      return node.loops.loop(context, device).compose(found -> LoopCall.on(found.loop.eventLoop(), () -> listener.apply(found).map(now -> {
        eventLoop = found.loop.eventLoop();
        loop = found;
        listening = now;
        since = System.nanoTime();
        now.addresses.forEach(address -> bound.add(new Bound(device, address)));
        found.onLost(lostHandler);
        node.upkeep.soon();
        return null;
      })));
    }

    private void lost() {
      stop();
      if (System.nanoTime() - since > TimeUnit.MILLISECONDS.toNanos(RETRY_MILLIS)) {
        attempts = new Attempts(PAUSES);
        listenAgain();
      } else {
        // The queue failed soon after its start. The next one may too.
        listenLater();
      }
    }

    private void listenLater() {
      node.vertx().setTimer(attempts.pauseMillis(), timer -> listenAgain());
    }

    private void stop() {
      if (loop != null) {
        loop.forget(lostHandler);
        listening.addresses.forEach(address -> bound.remove(new Bound(device, address)));
        listening.stop.run();
        loop = null;
      }
    }

    private void listenAgain() {
      if (closed) {
        return;
      }
      listen().onSuccess(v -> {
        LOG.info("A server listens again on " + device.name() + ", whose completion queue had failed");
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
            LOG.warn("A server cannot listen again yet on " + device.name() + ", whose completion queue has failed: "
              + cause.getMessage());
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
      return Future.failedFuture(
        new RdmaException(Reason.UNSUPPORTED,
          "cannot listen on a host and port: no fabric of this node accepts connections by IP address. Listen under a name."));
    }
    ListeningService listening = new ListeningService(node, context, "", acceptor);
    return node.resolve(address).compose(inet -> listening.add(listening.new DeviceListener(device, loop -> {
      InetSocketAddress at = listening.port < 0 ? inet : new InetSocketAddress(inet.getAddress(), listening.port);
      return loop.listen(EndpointAddress.of(at), acceptor).map(listener -> {
        listening.port = listener.localAddress().toInet().getPort();
        return new Listening(List.of(listener.localAddress()), listener::close);
      });
    }))).map(listening);
  }

  /** Publishes the new addresses, unless a close has begun, which withdraws the name. */
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
