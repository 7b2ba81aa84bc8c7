package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Endpoint;

/**
 * Owner of posted operations: the sends, writes, reads and atomics of an endpoint, or its receives. The SPI promises that earlier
 * unsignalled operations are complete when a signalled one completes. Libfabric promises no order. So each operation has a completion, and
 * that of a signalled one is reported only after the earlier ones. Confined to the polling thread.
 */
final class PostOwner {
  /** Null for connectionless endpoints. */
  final Endpoint endpoint;
  final int depth;
  int outstanding;
  int reads;
  int unsignalled;
  /** First slot of this owner in {@link ContextSlab}, or -1 if it has none. */
  int firstSlot = -1;
  /** Negative error number of the last post that failed, or 0. */
  int failure;

  PostOwner(Endpoint endpoint, int depth) {
    this.endpoint = endpoint;
    this.depth = depth;
  }

  boolean hasRoom() {
    return outstanding < depth;
  }

  void posted(boolean signalled, boolean read) {
    count(1, signalled, read);
  }

  void returned(boolean signalled, boolean read) {
    count(-1, signalled, read);
  }

  private void count(int change, boolean signalled, boolean read) {
    outstanding += change;
    reads += read ? change : 0;
    unsignalled += signalled ? 0 : change;
  }
}
