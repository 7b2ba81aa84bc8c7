package io.github.vertxrdma.suites;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * What came of a run of a suite in a process of its own.
 *
 * @param failed tests and how they failed; one that was being run when the process ended is among them
 * @param channels connected and accepted over a fabric
 * @param bytes sent and received over it
 * @param calls of gRPC that were served over it
 * @param fallbacks connections that were meant for it and took TCP
 * @param report all that in words
 */
record SuiteResult(Set<String> passed, Map<String, String> failed, long channels, long bytes, long calls, long fallbacks, String report) {
  static final String STARTED = "started";
  static final String PASSED = "passed";
  static final String FAILED = "failed";
  static final String SKIPPED = "skipped";
  static final String REPORT = "report";

  /** Of the file that a process wrote. */
  static SuiteResult read(Path file) throws IOException {
    Set<String> passed = new TreeSet<>();
    Map<String, String> failed = new LinkedHashMap<>();
    String[] report = null;
    for (String line : Files.readAllLines(file)) {
      String[] part = line.split("\t");
      switch (part[0]) {
        case STARTED -> failed.put(part[1], "the process ended, or was ended, while it ran");
        case FAILED -> failed.put(part[1], part[2]);
        case PASSED -> {
          failed.remove(part[1]);
          passed.add(part[1]);
        }
        case SKIPPED -> failed.remove(part[1]);
        case REPORT -> report = part;
        default -> throw new IOException(file + ": " + line);
      }
    }
    if (report == null) {
      failed.put("the process", "ended before it was done; see " + file);
      report = new String[] {REPORT, "0", "0", "0", "0", "no report"};
    }
    return new SuiteResult(passed, failed, Long.parseLong(report[1]), Long.parseLong(report[2]), Long.parseLong(report[3]),
      Long.parseLong(report[4]), report[5]);
  }

  /** Those of some tests that passed. */
  List<String> passedOf(Set<String> tests) {
    return tests.stream().filter(passed::contains).toList();
  }

  @Override
  public String toString() {
    return passed.size() + " passed, " + failed.size() + " failed; " + report;
  }
}
