package io.github.vertxrdma;

import java.util.List;

/**
 * How long a peer took to answer over one device, or why it cannot be asked over it.
 *
 * @param nodeId the peer's node
 * @param device the device of this side, or of the peer where this side has none
 * @param provider its provider; empty where this side has none
 * @param nanos round trips in nanoseconds, in the order they were made; empty if there was none
 * @param failure why there are none or no more; empty if all were made
 */
public record PingReport(String nodeId, String device, String provider, List<Long> nanos, String failure) {
  public PingReport {
    nanos = List.copyOf(nanos);
  }

  /**
   * The shortest round trip that so many of 100 did not exceed.
   *
   * @param percent 0 for the shortest, 100 for the longest
   * @return nanoseconds; -1 if there was none
   */
  public long percentile(double percent) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return sorted.isEmpty() ? -1 : sorted.get((int) Math.max(0, Math.ceil(percent / 100 * sorted.size()) - 1));
  }
}
