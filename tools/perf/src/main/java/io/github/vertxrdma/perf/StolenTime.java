package io.github.vertxrdma.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;

/** Share of processor time that the host gave to other virtual machines. */
final class StolenTime {
  /** Largest share with which a measurement counts. */
  static final double MOST = 0.03;
  private static final int STEAL = 7;

  private long[] before = ticks();

  double share() {
    long[] now = ticks();
    double share = share(before, now);
    before = now;
    return share;
  }

  static double share(long[] before, long[] now) {
    if (before.length <= STEAL || now.length <= STEAL) {
      return 0;
    }
    long all = IntStream.rangeClosed(0, STEAL).mapToLong(i -> now[i] - before[i]).sum();
    return (double) (now[STEAL] - before[STEAL]) / Math.max(1, all);
  }

  private static long[] ticks() {
    try (var lines = Files.lines(Path.of("/proc/stat"))) {
      return OtherWork.ticks(lines.findFirst().orElse(""));
    } catch (IOException e) {
      return new long[0];
    }
  }
}
