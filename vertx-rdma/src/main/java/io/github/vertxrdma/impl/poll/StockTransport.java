package io.github.vertxrdma.impl.poll;

import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;

/** Transport that wraps the one a Vert.x would have without this library. */
public interface StockTransport {

  Transport stock();

  static Transport of(VertxInternal vertx) {
    return vertx.transport() instanceof StockTransport transport ? transport.stock() : vertx.transport();
  }
}
