package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;

public final class TransportRdma {
  public static final String FABRIC = TransportOptions.FABRIC;

  private TransportRdma() {
  }

  /** Blocks if the transport is a stock one. */
  public static RdmaOptions options(Vertx vertx) {
    return ((VertxInternal) vertx).transport() instanceof RdmaTransport ours ? ours.options().rdma() : options();
  }

  public static RdmaOptions options() {
    return TransportOptions.load().rdma();
  }

  /**
   * Returns a copy of given options. Sets {@code requireEncryption} if the options of the process have it, since that applies to the
   * whole process. Blocks if the transport is a stock one.
   */
  public static RdmaOptions ruled(Vertx vertx, RdmaOptions given) {
    RdmaOptions own = new RdmaOptions(given);
    return own.setRequireEncryption(given.isRequireEncryption() || options(vertx).isRequireEncryption());
  }
}
