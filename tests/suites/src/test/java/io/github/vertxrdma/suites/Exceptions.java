package io.github.vertxrdma.suites;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Tests of a suite that pass on stock epoll and not over a fabric. A file of the suite has a line for each: the test, the fabrics or
 * {@code all}, and the cause, with bars between.
 */
final class Exceptions {
  private final List<String[]> lines = new ArrayList<>();

  /** @throws IOException if a line has no cause */
  static Exceptions of(String suite) throws IOException {
    Exceptions exceptions = new Exceptions();
    try (InputStream in = Exceptions.class.getResourceAsStream("/exceptions-" + suite + ".txt")) {
      if (in == null) {
        return exceptions;
      }
      BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (String line; (line = reader.readLine()) != null; ) {
        if (!line.isBlank() && !line.startsWith("#")) {
          String[] part = line.split("\\|", 3);
          if (part.length < 3 || part[2].isBlank()) {
            throw new IOException("exceptions-" + suite + ".txt: no test | fabrics | cause: " + line);
          }
          exceptions.lines.add(part);
        }
      }
    }
    return exceptions;
  }

  /** Those over a fabric. */
  Set<String> over(String fabric) {
    Set<String> tests = new TreeSet<>();
    for (String[] line : lines) {
      List<String> fabrics = List.of(line[1].strip().split("[, ]+"));
      if (fabrics.contains("all") || fabrics.contains(fabric)) {
        tests.add(line[0].strip());
      }
    }
    return tests;
  }
}
