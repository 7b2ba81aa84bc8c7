package io.github.vertxrdma.impl.transport;

import io.vertx.core.Deployable;
import io.vertx.core.Promise;
import io.vertx.core.Verticle;
import io.vertx.core.Vertx;
import io.vertx.core.spi.VerticleFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Callable;

/** Creates the verticles {@code rdma:name} and {@code rdma:name?connect}. {@link #init} also passes each new Vert.x to the transport. */
public final class RdmaVerticleFactory implements VerticleFactory {
  private static final String VERTICLE = "io.github.vertxrdma.impl.calls.BusVerticle";

  @Override
  public void init(Vertx vertx) {
    RdmaVertxServiceProvider.created(vertx);
  }

  @Override
  public String prefix() {
    return "rdma";
  }

  @Override
  @SuppressWarnings("unchecked")
  public void createVerticle2(String name, ClassLoader loader, Promise<Callable<? extends Deployable>> promise) {
    try {
      promise.complete((Callable<Deployable>) Class.forName(VERTICLE).getDeclaredMethod("of", String.class).invoke(null, name));
    } catch (InvocationTargetException e) {
      promise.fail(e.getCause());
    } catch (ReflectiveOperationException | LinkageError e) {
      promise.fail(unfit(name, e));
    }
  }

  /** Called by Vert.x 4 only. */
  @Override
  @SuppressWarnings("deprecation")
  public void createVerticle(String name, ClassLoader loader, Promise<Callable<Verticle>> promise) {
    promise.fail(unfit(name, null));
  }

  private static UnsupportedOperationException unfit(String name, Throwable cause) {
    return new UnsupportedOperationException("cannot deploy '" + name + "': it needs Java 25 or later, and Vert.x 5.1 or 5.2", cause);
  }
}
