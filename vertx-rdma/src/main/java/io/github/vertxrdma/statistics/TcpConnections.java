package io.github.vertxrdma.statistics;

/**
 * Number of connections of the event bus and of streams to peers that used TCP for one reason.
 *
 * @param reason label as in metrics, such as {@code no-library}
 * @param count since the node started
 */
public record TcpConnections(String reason, long count) {
}
