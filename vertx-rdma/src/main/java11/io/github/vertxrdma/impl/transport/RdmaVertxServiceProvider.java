package io.github.vertxrdma.impl.transport;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.spi.VertxServiceProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Service that Vert.x calls when an instance is built. Compiled for the oldest Java of Vert.x, without references to the rest of this
 * library. If that cannot run, the application keeps the standard transport, and one log line says why.
 */
public final class RdmaVertxServiceProvider implements VertxServiceProvider {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaVertxServiceProvider.class);
  private static final int JAVA = 25;
  private static final String TESTED = "Vert.x 5.1 and 5.2";
  private static final String INSTALLER = "io.github.vertxrdma.impl.transport.TransportInstaller";
  private static final AtomicBoolean WARNED = new AtomicBoolean();
  static final AtomicBoolean OFF_LOGGED = new AtomicBoolean();
  private static final AtomicBoolean NETTY_CHECKED = new AtomicBoolean();

  @Override
  public void init(VertxBootstrap bootstrap) {
    if (NETTY_CHECKED.compareAndSet(false, true)) {
      String mixed = NettyVersions.mixed(Vertx.class.getClassLoader());
      if (mixed != null) {
        LOG.warn(mixed);
      }
    }
    String untested = untested(version());
    if (call("install", VertxBootstrap.class, bootstrap) && untested != null) {
      warnOnce(untested);
    }
  }

  /** Called when a Vert.x is built but does not listen yet. */
  static void created(Vertx vertx) {
    call("created", Vertx.class, vertx);
  }

  private static boolean call(String method, Class<?> type, Object argument) {
    if ("off".equalsIgnoreCase(System.getProperty("vertx.rdma"))) {
      if (OFF_LOGGED.compareAndSet(false, true)) {
        LOG.info("The event bus, servers and clients of Vert.x stay on TCP, since -Dvertx.rdma=off switches their transport off."
          + " Connections, remote memory and services by Rdma.create() still use fabrics.");
      }
      return false;
    }
    int java = Runtime.version().feature();
    if (java < JAVA) {
      warnOnce("vertx-rdma needs Java " + JAVA + " and does nothing on Java " + java + ": connections go over TCP");
      return false;
    }
    try {
      Class.forName(INSTALLER).getDeclaredMethod(method, type).invoke(null, argument);
      return true;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof LinkageError) {
        differs(e.getCause());
      } else if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      } else {
        throw new IllegalStateException(e.getCause());
      }
    } catch (ReflectiveOperationException | LinkageError e) {
      differs(e);
    }
    return false;
  }

  private static void differs(Throwable cause) {
    warnOnce("The event bus, servers and clients of Vert.x " + version() + " stay on TCP, since its transports or its Netty are not those "
      + "of " + TESTED + ", which vertx-rdma was tested with (" + cause
      + "). Connections, remote memory and services by Rdma.create() work. Use "
      + TESTED + " for the rest.");
  }

  static String untested(String version) {
    return version.startsWith("5.1.") || version.startsWith("5.2.") ? null
      : "vertx-rdma was tested with " + TESTED + " and not with Vert.x " + version + ". All its functions are enabled: the event bus,"
        + " servers and clients over a fabric, and connections, remote memory and services by Rdma.create().";
  }

  private static String version() {
    try (InputStream in = Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt")) {
      return in == null ? "of an unknown version" : new String(in.readAllBytes(), StandardCharsets.UTF_8).trim();
    } catch (IOException e) {
      return "of an unknown version";
    }
  }

  private static void warnOnce(String what) {
    if (WARNED.compareAndSet(false, true)) {
      LOG.warn(what);
    }
  }
}
