package io.github.vertxrdma.statistics;

import java.util.List;

/**
 * A region that this node owns.
 *
 * @param name its name, empty if it has none
 * @param size bytes
 * @param holders node ids of those who hold its key now
 */
public record RegionStatistics(String name, long size, List<String> holders) {
  public RegionStatistics {
    holders = List.copyOf(holders);
  }
}
