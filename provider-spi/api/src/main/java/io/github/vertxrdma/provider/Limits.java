package io.github.vertxrdma.provider;

/**
 * Limits of a device. Sizes are in bytes.
 *
 * @param maxMessageSize includes the message prefix
 * @param maxTransferSize bytes of one read or write
 * @param inlineSize an endpoint may have less
 * @param readsInFlight outstanding reads and atomics of one endpoint
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
