package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.EndpointOptions;

/**
 * Options of a {@link Pair}.
 *
 * @param endpoint the options of both endpoints; the receive queue in them is ignored
 * @param slots the receives that each side keeps posted, beyond the provider's reserved ones; 0 for none
 * @param slotSize the most bytes of a received message, without the provider's prefix
 * @param queueDepth the entries of each completion queue
 * @param twoDomains whether each side opens the device for itself
 * @param sharedReceives whether the endpoints of a side share a receive queue; always if the device has no others
 * @param inPlace whether receives are posted without memory
 * @param connectData the private data of the connect
 * @param acceptData the private data of the accept
 */
public record PairOptions(EndpointOptions endpoint, int slots, int slotSize, int queueDepth, boolean twoDomains, boolean sharedReceives,
  boolean inPlace, byte[] connectData, byte[] acceptData) {

  /**
   * Creates default options: 16 slots of 4 KiB, queues of 1024 entries, one domain, no private data. The connect timeout is half of the
   * patience for conditions.
   */
  public PairOptions() {
    this(new EndpointOptions().withConnectTimeoutMillis((int) Math.min(Integer.MAX_VALUE, Math.max(10_000, Await.patienceMillis() / 2))),
      16, 4096, 1024, false, false, false, new byte[0], new byte[0]);
  }

  public PairOptions withEndpoint(EndpointOptions value) {
    return new PairOptions(value, slots, slotSize, queueDepth, twoDomains, sharedReceives, inPlace, connectData, acceptData);
  }

  public PairOptions withSlots(int count, int size) {
    return new PairOptions(endpoint, count, size, queueDepth, twoDomains, sharedReceives, inPlace, connectData, acceptData);
  }

  public PairOptions withQueueDepth(int value) {
    return new PairOptions(endpoint, slots, slotSize, value, twoDomains, sharedReceives, inPlace, connectData, acceptData);
  }

  public PairOptions withTwoDomains() {
    return new PairOptions(endpoint, slots, slotSize, queueDepth, true, sharedReceives, inPlace, connectData, acceptData);
  }

  public PairOptions withPrivateData(byte[] connect, byte[] accept) {
    return new PairOptions(endpoint, slots, slotSize, queueDepth, twoDomains, sharedReceives, inPlace, connect, accept);
  }

  public PairOptions withSharedReceives() {
    return new PairOptions(endpoint, slots, slotSize, queueDepth, twoDomains, true, inPlace, connectData, acceptData);
  }

  public PairOptions withReceivesInPlace() {
    return new PairOptions(endpoint, slots, slotSize, queueDepth, twoDomains, sharedReceives, true, connectData, acceptData);
  }
}
