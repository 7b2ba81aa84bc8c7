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
 * @param failed tests with errors, also the test that ran at the end of the process
 * @param channels connected and accepted over a fabric
 * @param fallbacks connections that took TCP
 */
record SuiteResult(Set<String> passed, Map<String, String> failed, long channels, long bytes, long calls, long fallbacks, String report) {
  static final String STARTED = "started";
  static final String PASSED = "passed";
  static final String FAILED = "failed";
  static final String SKIPPED = "skipped";
  static final String REPORT = "report";

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

  List<String> passedOf(Set<String> tests) {
    return tests.stream().filter(passed::contains).toList();
  }

  @Override
  public String toString() {
    return passed.size() + " passed, " + failed.size() + " failed; " + report;
  }
}
