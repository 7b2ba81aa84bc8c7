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
import java.util.function.Predicate;

/**
 * Tests that fail only over a fabric. Each line has the test, the fabrics, {@code all} or {@code at times}, and the cause, with bars
 * between.
 */
final class Exceptions {
  /** Marks races that stock epoll has, too. */
  private static final String AT_TIMES = "at times";

  private final List<String[]> lines = new ArrayList<>();

  static Exceptions of(String suite) throws IOException {
    Exceptions exceptions = new Exceptions();
    try (InputStream in = Exceptions.class.getResourceAsStream("/exceptions-" + suite + ".txt")) {
      if (in == null) {
        return exceptions;
      }
      BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      for (String line; (line = reader.readLine()) != null;) {
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

  Set<String> over(String fabric) {
    return of(fabrics -> !fabrics.equals(AT_TIMES) && List.of(fabrics.split("[, ]+")).stream().anyMatch(Set.of("all", fabric)::contains));
  }

  Set<String> atTimes() {
    return of(AT_TIMES::equals);
  }

  private Set<String> of(Predicate<String> fabrics) {
    Set<String> tests = new TreeSet<>();
    for (String[] line : lines) {
      if (fabrics.test(line[1].strip())) {
        tests.add(line[0].strip());
      }
    }
    return tests;
  }
}
