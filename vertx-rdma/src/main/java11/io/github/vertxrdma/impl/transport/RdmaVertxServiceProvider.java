package io.github.vertxrdma.impl.transport;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Service that Vert.x calls when an instance is built. Compiled for the oldest Java of Vert.x, without references to the rest of this
 * library or to what Vert.x 4 lacks. If the rest cannot run, the application keeps the standard transport, and one log line says why.
 */
public final class RdmaVertxServiceProvider extends Vertx4ServiceProvider implements VertxServiceProvider {
  private static final System.Logger LOG = System.getLogger(RdmaVertxServiceProvider.class.getName());
  private static final int JAVA = 25;
  private static final String TESTED = "Vert.x 5.1 and 5.2";
  private static final String VERSION = version();
  private static final String INSTALLER = "io.github.vertxrdma.impl.transport.TransportInstaller";
  private static final AtomicBoolean WARNED = new AtomicBoolean();
  static final AtomicBoolean OFF_LOGGED = new AtomicBoolean();
  private static final AtomicBoolean NETTY_CHECKED = new AtomicBoolean();

  @Override
  public void init(VertxBootstrap bootstrap) {
    if (NETTY_CHECKED.compareAndSet(false, true)) {
      String mixed = NettyVersions.mixed(Vertx.class.getClassLoader());
      if (mixed != null) {
        LOG.log(System.Logger.Level.WARNING, mixed);
      }
    }
    String untested = untested(VERSION);
    if (call("install", VertxBootstrap.class, bootstrap) && untested != null) {
      warnOnce(untested);
    }
  }

  /** Called when a Vert.x is built but does not listen yet. */
  static void created(Vertx vertx) {
    call("created", Vertx.class, vertx);
  }

  private static boolean call(String method, Class<?> type, Object argument) {
    if (!fits()) {
      return false;
    }
    if ("off".equalsIgnoreCase(System.getProperty("vertx.rdma"))) {
      if (OFF_LOGGED.compareAndSet(false, true)) {
        LOG.log(System.Logger.Level.INFO, "The event bus, servers and clients of Vert.x stay on TCP, since -Dvertx.rdma=off switches their"
          + " transport off. Connections, remote memory and services by Rdma.create() still use fabrics.");
      }
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

  /** Logs a warning and returns false if this library needs another Vert.x or Java. */
  static boolean fits() {
    int java = Runtime.version().feature();
    if (VERSION.startsWith("4.")) {
      warnOnce("vertx-rdma needs Vert.x 5.1 or 5.2; this is " + VERSION + ": connections use TCP");
    } else if (java < JAVA) {
      warnOnce("vertx-rdma needs Java " + JAVA + " and does nothing on Java " + java + ": connections go over TCP");
    } else {
      return true;
    }
    return false;
  }

  private static void differs(Throwable cause) {
    warnOnce("The event bus, servers and clients of Vert.x " + VERSION + " stay on TCP, since its transports or its Netty are not those "
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
      LOG.log(System.Logger.Level.WARNING, what);
    }
  }
}
