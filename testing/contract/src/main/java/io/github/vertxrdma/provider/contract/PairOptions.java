package io.github.vertxrdma.provider.contract;

import io.github.vertxrdma.provider.EndpointOptions;

/**
 * Options of a {@link Pair}.
 *
 * @param endpoint options of both endpoints; their receive queue is ignored
 * @param slots posted receives of each side, besides the provider's reserved receives
 * @param slotSize bytes of a received message, without the provider's prefix
 * @param sharedReceives whether endpoints of a side share a receive queue; always true if the device requires this
 * @param inPlace whether receives are posted without memory, so that messages are read in place
 */
public record PairOptions(EndpointOptions endpoint, int slots, int slotSize, int queueDepth, boolean twoDomains, boolean sharedReceives,
  boolean inPlace, byte[] connectData, byte[] acceptData) {

  /** Uses 16 slots of 4 KiB, queues of 1024 entries, and half of {@link Await#patienceMillis} as connect timeout. */
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
