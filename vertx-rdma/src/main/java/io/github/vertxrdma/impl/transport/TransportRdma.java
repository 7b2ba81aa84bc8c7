package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;

public final class TransportRdma {
  public static final String FABRIC = TransportOptions.FABRIC;

  private TransportRdma() {
  }

  /** Returns the options of this process. Blocks unless the Vert.x uses {@link RdmaTransport}. */
  public static RdmaOptions options(Vertx vertx) {
    return ((VertxInternal) vertx).transport() instanceof RdmaTransport ours ? ours.options().rdma() : TransportOptions.load().rdma();
  }

  /** Returns a copy of the options, with {@code requireEncryption} if this process requires it. Blocks as {@link #options} does. */
  public static RdmaOptions ruled(Vertx vertx, RdmaOptions given) {
    RdmaOptions own = new RdmaOptions(given);
    return own.setRequireEncryption(given.isRequireEncryption() || options(vertx).isRequireEncryption());
  }
}
