package io.github.vertxrdma.impl.bus;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.directory.LookupFailure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.node.Connector;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.wire.Greeting;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * Finds an instance of a service and connects to it: to any, and to another if that fails, as long as the directory may still list some
 * that are gone and lack others that have come.
 */
final class BusDial {
  static final long RETRY_MILLIS = 50;
  private static final byte[] HELLO = Wire.PROTOCOL.getBytes(StandardCharsets.US_ASCII);

  private final VertxInternal vertx;
  private final ContextInternal context;
  private final Supplier<Future<Node>> node;
  private final String name;
  private final RdmaBusClientOptions options;
  private volatile int closeTimeoutMillis;

  BusDial(VertxInternal vertx, EventLoop loop, Supplier<Future<Node>> node, String name, RdmaBusClientOptions options) {
    this.vertx = vertx;
    this.context = vertx.contextBuilder().withEventLoop(loop).build();
    this.node = node;
    this.name = name;
    this.options = options;
  }

  /** The time that closing a connection waits for the peer; known once one was made. */
  int closeTimeoutMillis() {
    return closeTimeoutMillis;
  }

  /** @param opened makes what stands on the link; on the loop */
  Future<BusLink> connect(BiFunction<Link, FabricChoice, BusLink> opened) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(options.getLookupTimeout().toMillis());
    return node.get().compose(n -> {
      closeTimeoutMillis = (int) n.options().getCloseTimeout().toMillis();
      return attempt(n, end, null, opened);
    });
  }

  private Future<BusLink> attempt(Node n, long end, Throwable last, BiFunction<Link, FabricChoice, BusLink> opened) {
    long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
    if (left <= 0 && last != null) {
      return Future.failedFuture(last);
    }
    return n.directory().awaitServices(name, Duration.ofMillis(Math.max(1, left))).recover(cause -> last != null ? Future.failedFuture(last)
      : LookupFailure.ofService(n.directory(), name, options.getLookupTimeout().toMillis(), cause))
      .compose(entries -> {
        List<ServiceEntry> instances = new ArrayList<>(entries.stream()
          .filter(entry -> Wire.PROTOCOL.equals(entry.metadata().getString(BusServer.PROTOCOL))).toList());
        if (instances.isEmpty()) {
          return Future.failedFuture(new RdmaException(Reason.UNSUPPORTED, "'" + name + "' is a server of messages, and no service of the"
            + " event bus; connect with Rdma.connect"));
        }
        Collections.shuffle(instances);
        return any(n, instances, 0, opened).recover(cause -> settled(cause) ? Future.failedFuture(cause) : later(n, end, cause, opened));
      });
  }

  private Future<BusLink> later(Node n, long end, Throwable cause, BiFunction<Link, FabricChoice, BusLink> opened) {
    Promise<Void> pause = Promise.promise();
    vertx.setTimer(RETRY_MILLIS, id -> pause.complete());
    return pause.future().compose(v -> attempt(n, end, cause, opened));
  }

  private Future<BusLink> any(Node n, List<ServiceEntry> instances, int i, BiFunction<Link, FabricChoice, BusLink> opened) {
    ServiceEntry entry = instances.get(i);
    NodeEntry peer = n.directory().node(entry.nodeId()).orElse(NodeEntry.local(entry.nodeId(), entry.epoch()));
    Future<BusLink> one = new Connector(n, context, entry.toString(), Greeting.wanting(name), HELLO, options.getFabric())
      .peer(peer, entry.addresses()).connect(opened);
    return i == instances.size() - 1 ? one
      : one.recover(cause -> settled(cause) ? Future.failedFuture(cause) : any(n, instances, i + 1, opened));
  }

  /** Failures that waiting would not change. */
  private static boolean settled(Throwable cause) {
    return cause instanceof RdmaException e && (e.reason() == Reason.NOT_AUTHENTIC || e.reason() == Reason.CLOSED);
  }
}
