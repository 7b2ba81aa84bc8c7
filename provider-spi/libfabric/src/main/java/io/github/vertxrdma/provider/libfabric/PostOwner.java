package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointCounters;

/**
 * Owner of posted operations: a connection, a peer of a connectionless endpoint, or the receives of an endpoint. Confined to the polling
 * thread.
 */
class PostOwner {
  /** Null for connectionless endpoints. */
  Endpoint endpoint;
  final EndpointCounters counters;
  int outstanding;
  /** First slot of this owner in {@link ContextSlab}, or -1 if it has none. */
  int firstSlot = -1;
  /** Negative error number of the last post that failed, or 0. */
  int failure;

  PostOwner(Endpoint endpoint, EndpointCounters counters) {
    this.endpoint = endpoint;
    this.counters = counters;
  }

  PostOwner root() {
    return this;
  }

  boolean isOf(PostOwner other) {
    return this == other;
  }

  void posted() {
    outstanding++;
  }

  void returned() {
    outstanding--;
  }
}
