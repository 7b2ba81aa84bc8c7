package io.github.vertxrdma.statistics;

/**
 * Connections of the event bus and of streams to peers that used TCP for one reason.
 *
 * @param reason the reason, as metrics name it: {@code no-library}
 * @param count connections since the node started
 */
public record TcpConnections(String reason, long count) {
}
