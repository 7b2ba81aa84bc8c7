package io.github.vertxrdma.provider.devices.strict;

/**
 * How little a strict device gives.
 *
 * @param regions memory regions in a domain
 * @param pinnedBytes bytes in all regions of a domain
 * @param sendDepth work requests outstanding on an endpoint
 * @param receiveDepth receives posted on a queue
 * @param completionQueueDepth entries of a completion queue
 * @param readsInFlight reads and atomics outstanding on an endpoint
 */
public record StrictOptions(int regions, long pinnedBytes, int sendDepth, int receiveDepth, int completionQueueDepth, int readsInFlight) {

  /** 256 regions, 256 MiB, 16 sends, 512 receives, 4096 completions, 4 reads. */
  public StrictOptions() {
    this(256, 256L << 20, 16, 512, 4096, 4);
  }
}
