package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;

/** RDMA options of the transport's configuration, for others that go by it. */
public final class TransportRdma {
  /** Setting of the one fabric of a process. */
  public static final String FABRIC = TransportOptions.FABRIC;

  private TransportRdma() {
  }

  /** The options that a Vert.x was started with; read where its transport is not ours, which blocks. */
  public static RdmaOptions options(Vertx vertx) {
    return ((VertxInternal) vertx).transport() instanceof RdmaTransport ours ? ours.options().rdma() : options();
  }

  /** Reads it; blocks. */
  public static RdmaOptions options() {
    return TransportOptions.load().rdma();
  }
}
