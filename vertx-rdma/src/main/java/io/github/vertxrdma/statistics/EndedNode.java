package io.github.vertxrdma.statistics;

/**
 * A node that ended or was lost while it was connected to this node.
 *
 * @param nodeId id in the directory
 * @param name for people; may be empty
 * @param how {@code orderly}, {@code crashed} or {@code unreachable}, as in {@link EndedNodes}
 * @param timeMillis as {@link System#currentTimeMillis()}
 */
public record EndedNode(String nodeId, String name, String how, long timeMillis) {
}
