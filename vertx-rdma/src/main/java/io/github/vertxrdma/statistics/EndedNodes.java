package io.github.vertxrdma.statistics;

import java.util.List;

/**
 * Number of nodes that ended or were lost while they were connected to this node.
 *
 * @param orderly nodes that sent a good-bye
 * @param crashed nodes whose process ended without a good-bye
 * @param unreachable nodes that were silent or unreachable for too long; their processes may still run
 * @param last the latest 16 of these nodes, newest last
 */
public record EndedNodes(long orderly, long crashed, long unreachable, List<EndedNode> last) {
}
