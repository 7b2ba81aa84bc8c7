package io.github.vertxrdma.statistics;

import java.util.List;

/**
 * Number of nodes connected to this node that ended or were lost, since this node started.
 *
 * @param orderly nodes that sent a good-bye
 * @param crashed nodes whose process ended without a good-bye
 * @param unreachable nodes that were silent or could not be reached for too long; their processes may still run
 * @param last the latest 16 of these nodes, newest last
 */
public record EndedNodes(long orderly, long crashed, long unreachable, List<EndedNode> last) {
}
