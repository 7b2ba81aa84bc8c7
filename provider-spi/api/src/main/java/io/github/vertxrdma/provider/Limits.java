package io.github.vertxrdma.provider;

/**
 * Limits of a device.
 *
 * @param maxMessageSize bytes in one send, with the message prefix
 * @param maxTransferSize bytes in one read or write
 * @param inlineSize largest {@link PostFlags#INLINE} message in bytes; an endpoint may get less ({@link Endpoint#inlineSize()})
 * @param sendDepth outstanding work requests of one endpoint
 * @param receiveDepth receives posted on one receive queue
 * @param scatterGather elements of one {@link ScatterGather} list; longer ones are refused
 * @param readsInFlight outstanding reads and atomics of one endpoint
 * @param privateData bytes of private data in connect and accept
 * @param maxRegionSize bytes in one memory region
 * @param maxRegions memory regions in one domain
 * @param completionQueueDepth entries of one completion queue
 * @param keySize bytes of a remote key
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
