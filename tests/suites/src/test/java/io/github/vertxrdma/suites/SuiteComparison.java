package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Failed tests are repeated twice, and may pass then. */
record SuiteComparison(String suite, SuiteRunner runner, List<String> classes) {
  private static final int REPEATS = 2;

  /**
   * Fails if a test fails that is no listed exception, if a listed exception always passes, or if nothing used the fabric.
   *
   * @param expected tests that pass without the library; null for all
   */
  void over(String fabric, Set<String> expected, int mostExceptions) throws Exception {
    SuiteResult first = runner.over(fabric, classes);
    Set<String> stock = new TreeSet<>(first.passed());
    stock.addAll(first.failed().keySet());
    if (expected != null) {
      stock = new TreeSet<>(expected);
    }
    Exceptions exceptions = Exceptions.of(suite);
    stock.removeAll(exceptions.atTimes());
    Set<String> listed = exceptions.over(fabric);
    Map<String, String> differing = new TreeMap<>(first.failed());
    differing.keySet().retainAll(stock);
    Set<String> missing = new TreeSet<>(stock);
    missing.removeAll(first.passed());
    missing.forEach(test -> differing.putIfAbsent(test, "was not run"));
    Set<String> unsteady = new TreeSet<>(differing.keySet());
    unsteady.removeAll(listed);
    Set<String> suspects = new TreeSet<>(listed);
    suspects.retainAll(first.passed());
    for (int i = 0; i < REPEATS && !(unsteady.isEmpty() && suspects.isEmpty()); i++) {
      Set<String> again = new HashSet<>(unsteady);
      again.addAll(suspects);
      Set<String> passed = runner.over(fabric, again).passed();
      unsteady.retainAll(passed);
      suspects.retainAll(passed);
    }
    Set<String> unlisted = new TreeSet<>(differing.keySet());
    unlisted.removeAll(listed);
    unlisted.removeAll(unsteady);
    System.out.printf("%s over %s: %d of %d that are expected to pass, %d exceptions; once failed and twice passed: %s%n", suite, fabric,
      stock.size() - differing.size() + unsteady.size(), stock.size(), listed.size(), unsteady);
    Map<String, String> wrong = new TreeMap<>(differing);
    wrong.keySet().retainAll(unlisted);
    assertTrue(wrong.isEmpty(), () -> wrong.size() + " tests are expected to pass and do not over " + fabric + ": " + wrong);
    assertTrue(suspects.isEmpty(), () -> "listed as exceptions, and always pass over " + fabric + ": " + suspects);
    int all = listed.size() + exceptions.atTimes().size();
    assertTrue(all <= mostExceptions, () -> all + " exceptions over " + fabric);
    assertTrue(first.channels() > 0 && first.bytes() > 0 || first.calls() > 0, () -> "nothing went over " + fabric);
    assertEquals(0, first.fallbacks(), "connections meant for " + fabric + " that took TCP");
  }
}
