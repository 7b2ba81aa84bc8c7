package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Vert.x's own tests with all streams over a fabric: each that passes on stock epoll in the same run passes there, but for a few with a
 * known cause. What failed is repeated twice, on either side: it passes if it passes then.
 */
@Tag("long")
@Timeout(value = 180, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SuiteContract {
  private static final String SAME_HOST = "{\"type\": \"same-host\", \"pollMillis\": 10}";
  private static final int REPEATS = 2;

  private final String suite;
  private final List<String> classes;
  private final SuiteRunner runner;
  private Set<String> stock;

  /** A suite of streams, which needs no cluster. */
  SuiteContract(String suite, Class<?>... classes) {
    this(suite, new SuiteRunner(suite, SAME_HOST, "all"), classes);
  }

  SuiteContract(String suite, SuiteRunner runner, Class<?>... classes) {
    this.suite = suite;
    this.classes = Arrays.stream(classes).map(Class::getName).toList();
    this.runner = runner;
  }

  Stream<String> fabrics() {
    return Stream.of("tcp", "shm", "nio");
  }

  /** What passes without this library. */
  @BeforeAll
  void baseline() throws Exception {
    SuiteResult first = runner.stock(classes);
    Set<String> failing = new TreeSet<>(first.failed().keySet());
    Set<String> passing = new TreeSet<>(failing);
    for (int i = 0; i < REPEATS && !passing.isEmpty(); i++) {
      passing.retainAll(runner.stock(passing).passed());
    }
    failing.removeAll(passing);
    stock = new TreeSet<>(first.passed());
    stock.addAll(passing);
    System.out.println(suite + ": not passing on stock epoll, and left out: " + failing);
    assertTrue(stock.size() > failing.size(), () -> failing.size() + " tests fail on stock epoll, and " + stock.size()
      + " pass: this machine lacks what they need, such as multicast, or names that resolve; see target/suites/" + suite);
  }

  @ParameterizedTest
  @MethodSource("fabrics")
  void everyTestThatPassesOnStockEpollPassesOver(String fabric) throws Exception {
    SuiteResult first = runner.over(fabric, classes);
    Set<String> listed = Exceptions.of(suite).over(fabric);
    Map<String, String> differing = new TreeMap<>(first.failed());
    differing.keySet().retainAll(stock);
    Set<String> missing = new TreeSet<>(stock);
    missing.removeAll(first.passed());
    missing.forEach(test -> differing.putIfAbsent(test, "was not run"));
    Set<String> unsteady = new TreeSet<>(differing.keySet());
    unsteady.removeAll(listed);
    // Listed ones that may have passed by chance.
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
    System.out.printf("%s over %s: %d of %d that pass on stock epoll, %d exceptions; once failed and twice passed: %s%n", suite, fabric,
      stock.size() - differing.size() + unsteady.size(), stock.size(), listed.size(), unsteady);
    Map<String, String> wrong = new TreeMap<>(differing);
    wrong.keySet().retainAll(unlisted);
    assertTrue(wrong.isEmpty(), () -> wrong.size() + " tests pass on stock epoll and not over " + fabric + ": " + wrong);
    assertTrue(suspects.isEmpty(), () -> "listed as exceptions, and always pass over " + fabric + ": " + suspects);
    assertTrue(listed.size() * 100 <= stock.size(), () -> listed.size() + " exceptions of " + stock.size() + " tests over " + fabric);
    assertTrue(first.channels() > 0 && first.bytes() > 0, () -> "nothing went over " + fabric);
    assertEquals(0, first.fallbacks(), "connections meant for " + fabric + " that took TCP");
  }
}
