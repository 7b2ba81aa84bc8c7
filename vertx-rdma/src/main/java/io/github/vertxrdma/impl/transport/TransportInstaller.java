package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.directory.ProductVersion;
import io.github.vertxrdma.impl.loop.NativeEpoll;
import io.github.vertxrdma.impl.loop.PollPolicies;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.JsonObject;
import io.vertx.core.spi.transport.Transport;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.atomic.AtomicBoolean;

/** Puts event loops that poll completion queues under a Vert.x that is being built. */
final class TransportInstaller {
  /** System property: {@code keep} leaves the transport that Vert.x would use without this library. */
  static final String PROPERTY = "vertx.rdma.transport";
  /** System property: {@code true} prints the report when the process exits. */
  static final String REPORT_PROPERTY = "vertx.rdma.report";

  private static final Logger LOG = LoggerFactory.getLogger(TransportInstaller.class);
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  static {
    if (Boolean.getBoolean(REPORT_PROPERTY)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(TransportCounters.PROCESS), "vertx-rdma-report"));
    }
  }

  private TransportInstaller() {
  }

  /**
   * That each method which Vert.x calls on a transport is handed on by ours: one that was added or changed would not reach the transport
   * that ours wraps, and a changed one without a body would fail in the middle of a connect.
   *
   * @throws LinkageError if this Vert.x has another idea of a transport than the one this was compiled for
   */
  static void requireFit(Class<?> contract, Class<?> ours) {
    for (Method method : contract.getMethods()) {
      if (!Modifier.isStatic(method.getModifiers())) {
        try {
          ours.getDeclaredMethod(method.getName(), method.getParameterTypes());
        } catch (NoSuchMethodException e) {
          throw new NoSuchMethodError(e.getMessage());
        }
      }
    }
  }

  /** Replaces NIO by epoll if that is available, and wraps all transports that can be wrapped. */
  static void install(VertxBootstrap bootstrap) {
    Transport stock = bootstrap.transport();
    if (stock instanceof RdmaTransport) {
      return;
    }
    requireFit(Transport.class, RdmaTransport.class);
    if (obstacle(stock) == null) {
      TransportOptions options = TransportOptions.load();
      bootstrap.transport(new RdmaTransport(isNio(stock) ? epoll() : stock, PollPolicies.configured(), options,
        bootstrap.options().getEventBusOptions()));
      announce(bootstrap.options().getEventBusOptions(), options);
    }
  }

  /** Returns why a transport stays as it is, with a remedy, or null if it is wrapped or replaced. */
  private static String obstacle(Transport stock) {
    if (isNio(stock)) {
      return keep() ? "-D" + PROPERTY + "=keep demands Vert.x's NIO transport. Remove it"
        : epoll() != null ? null : "Netty's epoll transport is not available"
          + NativeEpoll.missing().map(missing -> ": " + missing).orElse("");
    }
    String obstacle = RdmaTransport.obstacle(stock);
    return obstacle == null ? null
      : "the transport " + stock.getClass().getSimpleName() + " cannot be wrapped: " + obstacle + ". Use Vert.x's epoll or NIO transport";
  }

  /** Tells the members of the cluster that the event bus of this one uses this library. */
  private static void announce(EventBusOptions bus, TransportOptions options) {
    if (options.eventBus()) {
      JsonObject metadata = bus.getClusterNodeMetadata();
      bus.setClusterNodeMetadata((metadata == null ? new JsonObject() : metadata.copy()).put(ClusterMembers.LIBRARY,
        ProductVersion.CURRENT));
    }
  }

  /**
   * Tells the transport of its Vert.x, or reports why the network stack of this Vert.x stays on TCP.
   *
   * @throws IllegalStateException if it stays on TCP, and a fabric is forced
   */
  static void created(Vertx vertx) {
    Transport transport = ((VertxInternal) vertx).transport();
    if (transport instanceof RdmaTransport ours) {
      ours.created((VertxInternal) vertx);
      return;
    }
    String why = obstacle(transport);
    if (why == null) {
      return;
    }
    TransportOptions options = TransportOptions.load();
    boolean meant = !keep() && (options.streams() || options.eventBus() && ((VertxInternal) vertx).isClustered());
    String stays = options.streams() ? "the event bus, servers and clients" : "the event bus";
    if (meant && options.rdma().getFabric() != null) {
      throw new IllegalStateException("cannot start with fabric '" + options.rdma().getFabric() + "' forced, since " + stays
        + " would stay on TCP: " + why);
    }
    if (TOLD.compareAndSet(false, true)) {
      if (meant) {
        LOG.warn("TCP serves " + stays + ": " + why);
      } else {
        LOG.info("Completion queues are served through a relay thread or by timers: " + why);
      }
    }
  }

  private static Transport epoll() {
    io.vertx.core.transport.Transport epoll = io.vertx.core.transport.Transport.EPOLL;
    return epoll != null && epoll.available() ? epoll.implementation() : null;
  }

  private static boolean isNio(Transport transport) {
    return transport != null && transport.getClass() == io.vertx.core.transport.Transport.NIO.implementation().getClass();
  }

  private static boolean keep() {
    return "keep".equalsIgnoreCase(System.getProperty(PROPERTY));
  }
}
