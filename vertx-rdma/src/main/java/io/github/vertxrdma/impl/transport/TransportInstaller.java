package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.impl.loop.PollPolicies;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
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

  /** Wraps epoll, replaces NIO by it where it is available, and leaves any other transport alone. */
  static void install(VertxBootstrap bootstrap) {
    Transport stock = bootstrap.transport();
    if (stock instanceof RdmaTransport) {
      return;
    }
    requireFit(Transport.class, RdmaTransport.class);
    Transport epoll = epoll();
    if (stock != null && is(stock, io.vertx.core.transport.Transport.NIO)) {
      if (keep()) {
        tell("Vert.x keeps its NIO transport as -D" + PROPERTY + "=keep demands; completion queues are served through a relay thread");
        return;
      }
      if (epoll == null) {
        tell("Vert.x keeps its NIO transport, since epoll is not available here" + reason()
          + "; completion queues are served by timers");
        return;
      }
      stock = epoll;
    } else if (stock == null || epoll == null || stock.getClass() != epoll.getClass()) {
      tell("The transport " + (stock == null ? "null" : stock.getClass().getSimpleName())
        + " is left as it is; completion queues are served through a relay thread or by timers");
      return;
    }
    bootstrap.transport(new RdmaTransport(stock, PollPolicies.configured(), TransportOptions.load()));
  }

  /** A Vert.x exists: its transport learns of it. */
  static void created(Vertx vertx) {
    if (((VertxInternal) vertx).transport() instanceof RdmaTransport transport) {
      transport.created((VertxInternal) vertx);
    }
  }

  private static Transport epoll() {
    io.vertx.core.transport.Transport epoll = io.vertx.core.transport.Transport.EPOLL;
    return epoll != null && epoll.available() ? epoll.implementation() : null;
  }

  private static String reason() {
    io.vertx.core.transport.Transport epoll = io.vertx.core.transport.Transport.EPOLL;
    return epoll == null || epoll.unavailabilityCause() == null ? "" : " (" + epoll.unavailabilityCause().getMessage() + ")";
  }

  private static boolean is(Transport implementation, io.vertx.core.transport.Transport transport) {
    return implementation.getClass() == transport.implementation().getClass();
  }

  private static boolean keep() {
    return "keep".equalsIgnoreCase(System.getProperty(PROPERTY));
  }

  private static void tell(String what) {
    if (TOLD.compareAndSet(false, true)) {
      LOG.info(what);
    }
  }
}
