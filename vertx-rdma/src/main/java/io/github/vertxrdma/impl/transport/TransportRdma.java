package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;

/** RDMA options of the transport. */
public final class TransportRdma {
  public static final String FABRIC = TransportOptions.FABRIC;

  private TransportRdma() {
  }

  /** Blocks if the transport is a stock one. */
  public static RdmaOptions options(Vertx vertx) {
    return ((VertxInternal) vertx).transport() instanceof RdmaTransport ours ? ours.options().rdma() : options();
  }

  /** Blocks. */
  public static RdmaOptions options() {
    return TransportOptions.load().rdma();
  }
}
