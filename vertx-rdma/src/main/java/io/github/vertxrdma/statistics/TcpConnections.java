package io.github.vertxrdma.statistics;

/**
 * Number of TCP connections of the event bus and of streams to peers. @param reason as in metrics: {@code no-library} @param count since
 * the node started
 */
public record TcpConnections(String reason, long count) {
}
