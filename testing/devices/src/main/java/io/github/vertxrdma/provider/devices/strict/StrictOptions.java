package io.github.vertxrdma.provider.devices.strict;

/**
 * Limits of a strict device.
 *
 * @param regions the most memory regions of a domain
 * @param pinnedBytes the most bytes in all regions of a domain
 * @param sendDepth the most outstanding work requests of an endpoint
 * @param receiveDepth the most posted receives of a queue
 * @param completionQueueDepth the entries of a completion queue
 * @param readsInFlight the most outstanding reads and atomics of an endpoint
 */
public record StrictOptions(int regions, long pinnedBytes, int sendDepth, int receiveDepth, int completionQueueDepth, int readsInFlight) {

  /** Creates default options: 256 regions, 256 MiB, 16 sends, 512 receives, 4096 completions, 4 reads. */
  public StrictOptions() {
    this(256, 256L << 20, 16, 512, 4096, 4);
  }
}
