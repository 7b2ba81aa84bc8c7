package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.device.DeviceLoop;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.impl.poll.BlockingCalls;
import io.github.vertxrdma.impl.poll.EventLoopHost;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointType;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Device loops of a node: one for each device and event loop in use. Thread-safe. */
final class NodeLoops {
  private final ContextInternal node;
  private final NodeDevices devices;
  private final EndpointLoops endpointLoops;
  private final LoopOptions options;
  private final Function<DeviceLoop, LoopService> service;
  private final Map<Key, Future<LoopService>> loops = new ConcurrentHashMap<>();
  /** Causes of failure of devices that failed and were not opened again. */
  private final Map<Device, String> failedDevices = new ConcurrentHashMap<>();
  /** Results of closing failed loops. Guarded by this, like {@link #closed}. */
  private final List<Future<Void>> failedLoops = new ArrayList<>();
  private boolean closed;

  private record Key(EventLoop loop, Device device) {
  }

  /**
   * Chooses the event loop that drives a device's endpoint for a caller. Guarded by its {@link NodeLoops}.
   *
   * <p>Connected endpoints use the caller's loop. Connectionless endpoints need much memory: only the first loops open one, and later loops
   * share these. A device with one endpoint per domain uses one loop. Several domains would register each region several times, and prevent
   * atomics of the adapter.
   */
  static final class EndpointLoops {
    private final int most;
    private final Map<Device, List<EventLoop>> open = new HashMap<>();
    private final Map<Key, EventLoop> assigned = new HashMap<>();

    /** @param most maximum number of event loops with an endpoint of one connectionless device, at least 1 */
    EndpointLoops(int most) {
      this.most = most;
    }

    /** Returns the same loop for equal arguments. */
    EventLoop of(EventLoop loop, Device device) {
      return device.endpointType() == EndpointType.MSG ? loop : assigned.computeIfAbsent(new Key(loop, device), this::assign);
    }

    private EventLoop assign(Key key) {
      List<EventLoop> loops = open.computeIfAbsent(key.device, d -> new ArrayList<>());
      if (loops.size() < (key.device.capabilities().singleEndpoint() ? 1 : most)) {
        loops.add(key.loop);
        return key.loop;
      }
      int sharing = (int) assigned.keySet().stream().filter(other -> other.device.equals(key.device)).count() - loops.size();
      return loops.get(sharing % loops.size());
    }
  }

  /** @param mostEndpointLoops maximum number of event loops with an endpoint of one connectionless device, at least 1 */
  NodeLoops(ContextInternal node, NodeDevices devices, int mostEndpointLoops, LoopOptions options,
    Function<DeviceLoop, LoopService> service) {
    this.node = node;
    this.devices = devices;
    this.endpointLoops = new EndpointLoops(mostEndpointLoops);
    this.options = options;
    this.service = service;
  }

  /** Returns the device loop for the context's event loop. The first call starts it. */
  synchronized Future<LoopService> loop(ContextInternal context, Device device) {
    if (closed) {
      return Future.failedFuture(Node.closed());
    }
    Key key = new Key(endpointLoops.of(context.nettyEventLoop(), device), device);
    Future<LoopService> running = loops.get(key);
    if (running != null && running.succeeded() && running.result().loop.hasFailed()) {
      closeFailed(running.result());
      running = null;
    }
    return running != null ? running : open(key);
  }

  private Future<LoopService> open(Key key) {
    EventLoopHost host = new EventLoopHost(node.owner().contextBuilder().withEventLoop(key.loop).build());
    Future<LoopService> opening = host.blocking(() -> devices.acquire(key.device))
      .compose(domain -> DeviceLoop.open(host, domain, options)).map(loop -> service.apply(loop));
    loops.put(key, opening);
    return opening.onSuccess(opened -> failedDevices.remove(key.device)).onFailure(cause -> loops.remove(key, opening));
  }

  /**
   * Closes a loop whose completion queue failed. If the device failed, closes all loops of its domain and then the domain. Guarded by this.
   */
  private void closeFailed(LoopService failed) {
    Domain domain = failed.loop.domain;
    List<Future<Void>> closing = new ArrayList<>();
    loops.entrySet().removeIf(each -> {
      LoopService service = each.getValue().result();
      boolean ends = service == failed || service != null && domain.isLost() && service.loop.domain == domain;
      if (ends) {
        closing.add(closeLater(service));
      } else if (domain.isLost() && each.getKey().device.equals(domain.device()) && !each.getValue().isComplete()) {
        // A loop that is still opening may use the domain. The domain is closed after it.
        closing.add(each.getValue().transform(opened -> opened.succeeded() && opened.result().loop.domain == domain
          ? closeLater(opened.result()) : Future.succeededFuture()));
      }
      return ends;
    });
    if (domain.isLost()) {
      failedDevices.put(domain.device(), domain.outage());
    }
    failedLoops.removeIf(Future::isComplete);
    Future<Void> closed = Future.join(closing).mapEmpty();
    failedLoops.add(!domain.isLost() ? closed : closed.transform(done -> new BlockingCalls(node).<Void>call(() -> {
      devices.releaseLost(domain);
      return null;
    })));
  }

  /** Closes a loop in a later task, because closing calls handlers, which must not run in {@link #loop}. */
  private static Future<Void> closeLater(LoopService service) {
    return LoopCall.on(service.loop.eventLoop()::execute, Promise.promise(), closed -> service.closeFailed().onComplete(closed));
  }

  Stream<LoopService> running() {
    return loops.values().stream().filter(Future::succeeded).map(Future::result);
  }

  /** Returns null if no service has the number. */
  LoopService byNumber(long number) {
    return running().filter(each -> each.number == number).findFirst().orElse(null);
  }

  private Stream<DeviceLoop> running(Device device) {
    return running().map(each -> each.loop).filter(loop -> loop.domain.device().equals(device));
  }

  /** Returns why a device does not work; empty if it works. */
  String outage(Device device) {
    return running(device).findFirst().map(loop -> loop.domain.outage()).orElse(failedDevices.getOrDefault(device, ""));
  }

  Future<?> endAll(Device device, Throwable cause) {
    return Future.join(running(device).map(loop -> LoopCall.on(loop.eventLoop(), () -> {
      loop.endAll(cause);
      return Future.succeededFuture();
    })).toList());
  }

  /** Makes later calls of {@link #loop} fail. Returns false if this was called before. */
  synchronized boolean end() {
    boolean ends = !closed;
    closed = true;
    return ends;
  }

  /** Closes the loops. Called once, after {@link #end}, on the same thread. */
  Future<Void> close() {
    List<Future<Void>> closing = new ArrayList<>(failedLoops);
    RdmaException cause = Node.closed();
    for (Future<LoopService> loop : List.copyOf(loops.values())) {
      closing.add(loop.compose(opened -> LoopCall.on(opened.loop.eventLoop(), () -> opened.close(cause)),
        failed -> Future.succeededFuture()));
    }
    return Future.join(closing).mapEmpty();
  }
}
