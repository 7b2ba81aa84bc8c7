package io.github.vertxrdma.provider;

/**
 * Limits of a device. Sizes are in bytes.
 *
 * @param maxMessageSize with the message prefix
 * @param maxTransferSize of one read or write
 * @param inlineSize an endpoint may get less
 * @param scatterGather elements of one {@link ScatterGather}
 * @param readsInFlight outstanding reads and atomics of one endpoint
 * @param maxRegions memory regions in one domain
 */
public record Limits(
  long maxMessageSize,
  long maxTransferSize,
  int inlineSize,
  int sendDepth,
  int receiveDepth,
  int scatterGather,
  int readsInFlight,
  int privateData,
  long maxRegionSize,
  int maxRegions,
  int completionQueueDepth,
  int keySize) {
}
