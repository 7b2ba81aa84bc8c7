package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;

/** What the transport's configuration says of RDMA, for others that go by it. */
public final class TransportRdma {
  private TransportRdma() {
  }

  /** Reads it; blocks. */
  public static RdmaOptions options() {
    return TransportOptions.load().rdma();
  }
}
