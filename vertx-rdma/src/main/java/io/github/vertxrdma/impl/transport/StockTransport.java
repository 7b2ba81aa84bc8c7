package io.github.vertxrdma.impl.transport;

import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;

/** What a Vert.x would have without this library. */
public final class StockTransport {
  private StockTransport() {
  }

  /** The transport whose channels are TCP's, whatever takes the fabric otherwise. Any thread. */
  public static Transport of(VertxInternal vertx) {
    return vertx.transport() instanceof RdmaTransport transport ? transport.stock() : vertx.transport();
  }
}
