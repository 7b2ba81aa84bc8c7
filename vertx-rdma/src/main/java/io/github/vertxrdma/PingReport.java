package io.github.vertxrdma;

import java.util.List;

/**
 * Round trips to a peer over one device, or the reason why there are none.
 *
 * @param device of this side, or the peer's if this side has none
 * @param provider empty if this side has none
 * @param nanos round trips in nanoseconds, in order
 * @param failure why pings are missing; empty if all succeeded
 */
public record PingReport(String nodeId, String device, String provider, List<Long> nanos, String failure) {
  public PingReport {
    nanos = List.copyOf(nanos);
  }

  /**
   * Returns a percentile of the round trips.
   *
   * @param percent 0 … 100
   * @return nanoseconds; -1 without a round trip
   */
  public long percentile(double percent) {
    List<Long> sorted = nanos.stream().sorted().toList();
    return sorted.isEmpty() ? -1 : sorted.get((int) Math.max(0, Math.ceil(percent / 100 * sorted.size()) - 1));
  }
}
