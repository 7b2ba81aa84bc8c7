package io.github.vertxrdma.statistics;

/**
 * Number of refused connections and requests of peers.
 *
 * @param reason label as in metrics, such as {@code not-authentic}
 * @param count since the node started
 */
public record RefusalCount(String reason, long count) {
}
