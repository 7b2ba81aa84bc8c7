package io.github.vertxrdma.perf;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Processor time of other processes, and of other virtual machines, during a measurement. */
final class OtherWork {
  /** Number of processors from which other work is reported. An idle machine uses less. */
  private static final double WORTH_SAYING = 0.15;
  /** Largest share of stolen processor time with which a measurement counts. */
  static final double MOST_STOLEN = 0.03;
  private static final double TICKS = 100;
  private static final int STEAL = 7;

  private final long beginNanos = System.nanoTime();
  private final double begin = otherSeconds();

  /** Returns the mean number of processors that other processes used; NaN if unknown. */
  double cores() {
    double seconds = (System.nanoTime() - beginNanos) / 1e9;
    return Math.max(0, otherSeconds() - begin) / seconds;
  }

  static String warning(double cores) {
    return cores < WORTH_SAYING || Double.isNaN(cores) ? null : String.format(Locale.ROOT,
      "other work used %.1f of %d processors during the measurement, so these results are not those of an idle machine", cores,
      Runtime.getRuntime().availableProcessors());
  }

  private static double otherSeconds() {
    return busySeconds(ticks()) - ownSeconds();
  }

  static double busySeconds(long[] ticks) {
    return ticks.length <= STEAL ? Double.NaN : (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[STEAL]) / TICKS;
  }

  /** Returns ticks of all processors as user, nice, system, idle, iowait, irq, softirq and steal; empty if unknown. See proc_stat(5). */
  static long[] ticks() {
    try (var lines = Files.lines(Path.of("/proc/stat"))) {
      return ticks(lines.findFirst().orElse(""));
    } catch (IOException e) {
      return new long[0];
    }
  }

  static long[] ticks(String line) {
    return Arrays.stream(line.split(" +")).skip(1).mapToLong(Long::parseLong).toArray();
  }

  /** Returns the share of processor time that the host gave to other virtual machines between two readings. */
  static double stolen(long[] before, long[] now) {
    if (before.length <= STEAL || now.length <= STEAL) {
      return 0;
    }
    long all = IntStream.rangeClosed(0, STEAL).mapToLong(i -> now[i] - before[i]).sum();
    return (double) (now[STEAL] - before[STEAL]) / Math.max(1, all);
  }

  private static double ownSeconds() {
    return Stream.concat(Stream.of(ProcessHandle.current()), ProcessHandle.current().descendants()).mapToDouble(process -> {
      try {
        return processSeconds(Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat")));
      } catch (IOException e) {
        // The time of an ended process is included in its parent's.
        return 0;
      }
    }).sum();
  }

  /** @param stat user and system ticks of a process and of its ended children; see proc_pid_stat(5) */
  static double processSeconds(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12]) + Long.parseLong(fields[13]) + Long.parseLong(fields[14])) / TICKS;
  }
}
