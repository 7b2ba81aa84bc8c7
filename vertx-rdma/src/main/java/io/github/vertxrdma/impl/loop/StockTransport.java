package io.github.vertxrdma.impl.loop;

import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;

/** A transport that stands in front of the one that a Vert.x would have without this library. */
public interface StockTransport {

  /** The transport whose channels are TCP's, whatever takes the fabric otherwise. Any thread. */
  Transport stock();

  /** That of a Vert.x. Any thread. */
  static Transport of(VertxInternal vertx) {
    return vertx.transport() instanceof StockTransport transport ? transport.stock() : vertx.transport();
  }
}
