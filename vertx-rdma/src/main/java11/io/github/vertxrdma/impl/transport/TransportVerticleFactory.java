package io.github.vertxrdma.impl.transport;

import io.vertx.core.Deployable;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.spi.VerticleFactory;
import java.util.concurrent.Callable;

/**
 * Found by Vert.x when one is built, and told of it before anything listens, the clustered event bus included: a transport is made before
 * its Vert.x and is not told. It makes no verticles.
 */
public final class TransportVerticleFactory implements VerticleFactory {

  @Override
  public void init(Vertx vertx) {
    RdmaVertxServiceProvider.created(vertx);
  }

  @Override
  public String prefix() {
    return "vertx-rdma-transport";
  }

  @Override
  public void createVerticle2(String name, ClassLoader loader, Promise<Callable<? extends Deployable>> promise) {
    promise.fail("vertx-rdma-transport is no kind of verticle");
  }
}
