package io.github.vertxrdma.impl.transport;

import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.spi.VertxServiceProvider;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Found by Vert.x when one is built. Compiled for the oldest Java that Vert.x runs on, and without a reference to the rest of this
 * library, so that where the rest cannot run the application goes on with the stock transport, and one line says why.
 */
public final class RdmaVertxServiceProvider implements VertxServiceProvider {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaVertxServiceProvider.class);
  private static final int JAVA = 25;
  private static final String INSTALLER = "io.github.vertxrdma.impl.transport.TransportInstaller";
  private static final AtomicBoolean TOLD = new AtomicBoolean();

  @Override
  public void init(VertxBootstrap bootstrap) {
    call("install", VertxBootstrap.class, bootstrap);
  }

  /** A Vert.x exists and listens nowhere yet. */
  static void created(Vertx vertx) {
    call("created", Vertx.class, vertx);
  }

  private static void call(String method, Class<?> type, Object argument) {
    if ("off".equalsIgnoreCase(System.getProperty("vertx.rdma"))) {
      return;
    }
    int java = Runtime.version().feature();
    if (java < JAVA) {
      tell("vertx-rdma needs Java " + JAVA + " and does nothing on Java " + java + ": connections go over TCP");
      return;
    }
    try {
      Class.forName(INSTALLER).getDeclaredMethod(method, type).invoke(null, argument);
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
  }

  private static void differs(Throwable cause) {
    tell("vertx-rdma does not fit this version of Vert.x or Netty and does nothing: connections go over TCP (" + cause + ")");
  }

  private static void tell(String what) {
    if (TOLD.compareAndSet(false, true)) {
      LOG.warn(what);
    }
  }
}
