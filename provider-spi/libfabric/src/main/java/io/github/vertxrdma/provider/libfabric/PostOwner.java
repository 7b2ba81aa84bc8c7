package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointCounters;

/** Owner of operations: a connection, a peer of a connectionless endpoint, or the receives of either. Confined to the polling thread. */
class PostOwner {
  /** Told in completions; null for connectionless endpoints. */
  Endpoint endpoint;
  final EndpointCounters counters;
  /** Operations posted that have not come back. */
  int outstanding;
  /** The first of its slots in {@link ContextSlab}, which links them; -1 for none. */
  int firstSlot = -1;
  /** The result of the last post that failed, negated error number; 0 if none did. */
  int failure;

  PostOwner(Endpoint endpoint, EndpointCounters counters) {
    this.endpoint = endpoint;
    this.counters = counters;
  }

  /** The work it is a part of, or itself: whose end is its end. */
  PostOwner root() {
    return this;
  }

  /** Whether it is that or a part of that. */
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
