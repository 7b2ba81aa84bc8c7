package io.github.vertxrdma.impl.poll;

import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;

/** Transport that wraps Vert.x's default transport. */
public interface StockTransport {

  Transport stock();

  static Transport of(VertxInternal vertx) {
    return vertx.transport() instanceof StockTransport transport ? transport.stock() : vertx.transport();
  }
}
