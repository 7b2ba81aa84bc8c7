package io.github.vertxrdma.statistics;

/**
 * Connection of two nodes as one side sees it: of an application, the network stack, or remote memory.
 *
 * @param peer node id; may be empty
 * @param service requested service, or {@code regions}, {@code ping}; may be empty
 * @param outgoing true if this side connected
 * @param open true after the handshake, before a close begins
 * @param dataCredits messages that may be sent before the peer grants more
 * @param controlCredits protocol frames without messages that may be sent before the peer grants more
 * @param pendingBytes bytes of messages that wait to be sent
 * @param sendsInFlight frames that the device has not finished sending
 * @param transfers unfinished remote reads, writes and atomics
 * @param unreadParts parts of large messages that the peer has not fetched
 * @param roundTripNanos last round trip measured by {@link io.github.vertxrdma.Rdma#statistics(String)} in nanoseconds, or -1
 */
public record ConnectionStatistics(String peer, String address, String service, boolean outgoing, boolean open, Traffic traffic,
  int dataCredits, int controlCredits, long pendingBytes, int sendsInFlight, int transfers,
  int unreadParts, long roundTripNanos) {
  public ConnectionStatistics {
    // Earlier versions do not measure round trips and send 0.
    roundTripNanos = roundTripNanos == 0 ? -1 : roundTripNanos;
  }
}
