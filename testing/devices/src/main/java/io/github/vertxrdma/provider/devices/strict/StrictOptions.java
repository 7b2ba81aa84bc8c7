package io.github.vertxrdma.provider.devices.strict;

/**
 * Limits of a {@link StrictDevice}.
 *
 * @param regions memory regions of a domain
 * @param pinnedBytes bytes in all regions of a domain
 * @param sendDepth outstanding work requests of an endpoint
 * @param receiveDepth posted receives of a queue
 * @param completionQueueDepth entries of a completion queue
 * @param readsInFlight outstanding reads and atomics of an endpoint
 */
public record StrictOptions(int regions, long pinnedBytes, int sendDepth, int receiveDepth, int completionQueueDepth, int readsInFlight) {

  /** Uses 256 regions, 256 MiB, 16 sends, 512 receives, 4096 completions, and 4 reads. */
  public StrictOptions() {
    this(256, 256L << 20, 16, 512, 4096, 4);
  }
}
