package io.github.vertxrdma.statistics;

/**
 * Node that ended or was lost while it was connected to this node.
 *
 * @param name for people; may be empty
 * @param how {@code orderly}, {@code crashed} or {@code unreachable}, see {@link EndedNodes}
 * @param timeMillis as {@link System#currentTimeMillis()}
 */
public record EndedNode(String nodeId, String name, String how, long timeMillis) {
}
