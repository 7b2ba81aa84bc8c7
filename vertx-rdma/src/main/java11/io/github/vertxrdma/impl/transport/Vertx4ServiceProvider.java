package io.github.vertxrdma.impl.transport;

import io.vertx.core.impl.VertxBuilder;

/**
 * The method of Vert.x 4's {@code VertxServiceProvider}. The provider inherits it, since {@code ServiceLoader} loads the types of all
 * methods that the provider of a module declares, and Vert.x 5 does not have this type. Public, because javac otherwise declares a bridge
 * method in the provider.
 */
public abstract class Vertx4ServiceProvider {

  public void init(VertxBuilder builder) {
    RdmaVertxServiceProvider.fits();
  }
}
