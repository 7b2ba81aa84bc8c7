package io.github.vertxrdma.statistics;

/**
 * Connections of the event bus and of streams to peers that used TCP for one reason.
 *
 * @param reason as in metrics: {@code no-library}
 * @param count since the node started
 */
public record TcpConnections(String reason, long count) {
}
