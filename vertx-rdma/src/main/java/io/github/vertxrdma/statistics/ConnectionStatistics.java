package io.github.vertxrdma.statistics;

/**
 * One connection of two nodes, as one side sees it: what an application connected or accepted, what carries the network stack, or what
 * remote memory goes over.
 *
 * @param peer the peer's node id; empty before it is known
 * @param address the peer's address on the fabric
 * @param service what it was made for: the name of a service, or {@code regions}, {@code ping}; empty between two ends that need none
 * @param outgoing whether this side connected
 * @param open whether the handshake is over and nobody has begun to close
 * @param traffic what went over it
 * @param dataCredits messages that may be sent before the peer gives credits back
 * @param controlCredits the same for the protocol's own frames
 * @param pendingBytes bytes of messages that wait for credits, slots or the queue
 * @param sendsInFlight frames of which the device has not said yet that they are sent
 * @param transfers reads, writes and atomics that wait or are in flight
 * @param unreadParts parts of large messages that the peer has not fetched
 * @param roundTripNanos how long the peer took to answer a frame that asks for nothing else, the last time that somebody asked by
 *   {@link io.github.vertxrdma.Rdma#statistics(String)}; -1 if nobody did
 */
public record ConnectionStatistics(String peer, String address, String service, boolean outgoing, boolean open, Traffic traffic,
  int dataCredits, int controlCredits, long pendingBytes, int sendsInFlight, int transfers,
  int unreadParts, long roundTripNanos) {
}
