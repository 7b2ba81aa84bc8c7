package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointCounters;

/** Owner of operations: a connection, a peer of a connectionless endpoint, or the receives of either. Confined to the polling thread. */
class PostOwner {
  /** Passed in completions; null for connectionless endpoints. */
  Endpoint endpoint;
  final EndpointCounters counters;
  /** Number of posted operations that have not completed. */
  int outstanding;
  /** First of its slots in {@link ContextSlab}, which links them; -1 if it has none. */
  int firstSlot = -1;
  /** Result of the last post that failed, as a negated error number; 0 if none failed. */
  int failure;

  PostOwner(Endpoint endpoint, EndpointCounters counters) {
    this.endpoint = endpoint;
    this.counters = counters;
  }

  /** Returns the owner that this one is a part of, or itself. It ends with that owner. */
  PostOwner root() {
    return this;
  }

  /** Returns whether this is the other owner or a part of it. */
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
