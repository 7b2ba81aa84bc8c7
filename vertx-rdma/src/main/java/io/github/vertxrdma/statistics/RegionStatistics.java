package io.github.vertxrdma.statistics;

import java.util.List;

/**
 * Region owned by the node.
 *
 * @param name may be empty
 * @param size in bytes
 * @param holders node ids
 */
public record RegionStatistics(String name, long size, List<String> holders) {
}
