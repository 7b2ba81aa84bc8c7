package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.poll.NativeEpoll;
import io.github.vertxrdma.impl.poll.PollPolicies;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.spi.transport.Transport;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.concurrent.atomic.AtomicBoolean;

final class TransportInstaller {
  /** System property: {@code true} prints at exit how many channels and bytes used a fabric or TCP. */
  static final String REPORT_PROPERTY = "vertx.rdma.report";

  private static final Logger LOG = LoggerFactory.getLogger(TransportInstaller.class);
  private static final AtomicBoolean REPORTED = new AtomicBoolean();
  /** Reason why event loops cannot watch completion queues, to be logged at the first use of a fabric; null for none. */
  private static volatile String unwatched;

  static {
    if (Boolean.getBoolean(REPORT_PROPERTY)) {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println(TransportCounters.PROCESS), "vertx-rdma-report"));
    }
  }

  private TransportInstaller() {
  }

  /**
   * Checks that the class overrides all methods of the contract: an inherited default method would bypass the wrapped transport.
   *
   * @throws LinkageError if this Vert.x has another contract
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

  static void install(VertxBootstrap bootstrap) {
    Transport stock = bootstrap.transport();
    if (stock instanceof RdmaTransport) {
      return;
    }
    requireFit(Transport.class, RdmaTransport.class);
    if (obstacle(stock) == null) {
      Transport chosen = stock == null ? io.vertx.core.transport.Transport.NIO.implementation() : stock;
      bootstrap.transport(new RdmaTransport(isNio(chosen) ? epoll() : chosen, chosen, PollPolicies.configured(), TransportOptions.load(),
        bootstrap));
    }
  }

  private static String obstacle(Transport stock) {
    if (isNio(stock)) {
      return epoll() != null ? null : "Netty's epoll transport is not available"
        + NativeEpoll.missing().map(missing -> ": " + missing).orElse("");
    }
    String obstacle = RdmaTransport.obstacle(stock);
    return obstacle == null ? null
      : "the transport " + stock.getClass().getSimpleName() + " cannot be wrapped: " + obstacle + ". Use Vert.x's epoll or NIO transport";
  }

  static void created(Vertx vertx) {
    Transport transport = ((VertxInternal) vertx).transport();
    if (transport instanceof RdmaTransport ours) {
      ours.created((VertxInternal) vertx);
      return;
    }
    requireFit(Transport.class, RdmaTransport.class);
    String obstacle = obstacle(transport);
    String why = obstacle != null ? obstacle
      : "VertxBootstrap.init() ran before the transport was set, or without the service provider of vertx-rdma";
    TransportOptions options = TransportOptions.load();
    boolean meant = options.streams() || options.eventBus() && ((VertxInternal) vertx).isClustered();
    String stays = options.streams() ? "the event bus, servers and clients" : "the event bus";
    if (meant && options.rdma().getFabric() != null) {
      throw new IllegalStateException("cannot start with fabric '" + options.rdma().getFabric() + "' forced, since " + stays
        + " would stay on TCP: " + why);
    }
    if (!meant) {
      unwatched = why;
    } else if (REPORTED.compareAndSet(false, true)) {
      LOG.warn("TCP serves " + stays + ": " + why);
    }
  }

  /** Called at the first use of a fabric by a Vert.x that has another transport. */
  static void used() {
    String why = unwatched;
    if (why != null && REPORTED.compareAndSet(false, true)) {
      LOG.info("Completion queues are polled by timers or through an extra thread, since event loops cannot watch them: " + why);
    }
  }

  private static Transport epoll() {
    io.vertx.core.transport.Transport epoll = io.vertx.core.transport.Transport.EPOLL;
    return epoll != null && epoll.available() && NativeEpoll.missing().isEmpty() ? epoll.implementation() : null;
  }

  /** Returns whether Vert.x uses NIO, which it also does without a transport. */
  private static boolean isNio(Transport transport) {
    return transport == null || transport.getClass() == io.vertx.core.transport.Transport.NIO.implementation().getClass();
  }
}
