package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One result.
 *
 * @param worker how workers of functions waited; null for other modes
 * @param manners how messages were sent and read, and whether the processes were plain, such as zeroCopy
 * @param ours the medians of our runs; with a peer, of the run whose ratio is the median
 * @param peer with whom it was compared; null for nobody
 * @param theirs of the same run; null without a peer
 */
record Row(Mode mode, String worker, List<String> manners, String fabric, int size, int connections, int window, Sample ours,
  String peer, Sample theirs) {

  /** The factor by which this library is better; NaN without a peer. */
  double ratio() {
    if (theirs == null) {
      return Double.NaN;
    }
    return byThroughput() ? ours.messages() / theirs.messages() : theirs.p50() / ours.p50();
  }

  boolean byThroughput() {
    return mode.throughput || window > 1 || manners.contains("plain") || Double.isNaN(ours.p50())
      || theirs != null && Double.isNaN(theirs.p50());
  }

  /** The mode, and with functions how their workers waited, with messages how they were sent and read. */
  String what() {
    return worker != null ? worker + " call" : Stream.concat(Stream.of(mode.word()), manners.stream()).collect(Collectors.joining(" "))
      .replace("zeroCopy", "zero-copy");
  }

  JsonObject toJson() {
    JsonObject json = new JsonObject().put("mode", mode.word());
    if (worker != null) {
      json.put("worker", worker);
    }
    manners.forEach(manner -> json.put(manner, true));
    return json.put("fabric", fabric).put("size", size).put("connections", connections)
      .put("p50_us", number(ours.p50())).put("p99_us", number(ours.p99())).put("msgs_per_s", number(ours.messages()))
      .put("mib_per_s", number(ours.mebibytes())).put("peer", peer)
      .put("peer_p50_us", theirs == null ? null : number(theirs.p50())).put("peer_p99_us", theirs == null ? null : number(theirs.p99()))
      .put("peer_msgs_per_s", theirs == null ? null : number(theirs.messages()))
      .put("peer_mib_per_s", theirs == null ? null : number(theirs.mebibytes())).put("ratio", number(ratio()));
  }

  /** Four significant digits; null for what was not measured. */
  private static Number number(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return null;
    }
    if (Math.abs(value) >= 1000) {
      return Math.round(value);
    }
    double unit = value == 0 ? 1 : Math.pow(10, 3 - Math.floor(Math.log10(Math.abs(value))));
    return Math.round(value * unit) / unit;
  }
}
