package io.github.vertxrdma;

import java.util.List;

/**
 * Round trips to a peer over one device, or the reason why there are none.
 *
 * @param device device of this node; the peer's device if this node has no device on the fabric of the peer's device
 * @param provider of this node's device; empty if this node has none
 * @param nanos round trips in nanoseconds, in the order of the pings
 * @param failure cause of the failed pings; empty if all succeeded
 */
public record PingReport(String nodeId, String device, String provider, List<Long> nanos, String failure) {
  public PingReport {
    nanos = List.copyOf(nanos);
  }

  /**
   * Returns a percentile of the round trips.
   *
   * @param percent 0 … 100
   * @return nanoseconds; -1 if there is no round trip
   */
  public long percentile(double percent) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return sorted.isEmpty() ? -1 : sorted.get((int) Math.max(0, Math.ceil(percent / 100 * sorted.size()) - 1));
  }
}
