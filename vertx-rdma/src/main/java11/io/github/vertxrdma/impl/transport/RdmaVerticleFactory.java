package io.github.vertxrdma.impl.transport;

import io.vertx.core.Deployable;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.spi.VerticleFactory;
import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.Callable;

/**
 * Makes the verticles {@code rdma:name} and {@code rdma:name?connect}. It is found by Vert.x when one is built, and told of it before
 * anything listens, the clustered event bus included: a transport is made before its Vert.x and is not told. Compiled as its
 * neighbour is.
 */
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
      promise
        .fail(new UnsupportedOperationException("'" + name + "' needs Java 25 and the version of Vert.x that vertx-rdma is made for", e));
    }
  }
}
