package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that pass on stock epoll pass over a fabric, with few exceptions. */
@Tag("long")
@Timeout(value = 180, unit = TimeUnit.MINUTES)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class SuiteContract {
  private static final int REPEATS = 2;

  private final String suite;
  private final int share;
  private final List<String> classes;
  private final SuiteRunner runner;
  private Set<String> stock;

  SuiteContract(String suite, Class<?>... classes) {
    this(suite, 100, classes);
  }

  /** @param share one test in this number may be an exception */
  SuiteContract(String suite, int share, Class<?>... classes) {
    this(suite, share, SuiteRunner.ofStreams(suite), classes);
  }

  /** @param tests {@code class} or {@code class#test} */
  SuiteContract(String suite, int share, List<String> tests) {
    this(suite, share, SuiteRunner.ofStreams(suite), tests);
  }

  SuiteContract(String suite, SuiteRunner runner, Class<?>... classes) {
    this(suite, 100, runner, classes);
  }

  private SuiteContract(String suite, int share, SuiteRunner runner, Class<?>... classes) {
    this(suite, share, runner, Arrays.stream(classes).map(Class::getName).toList());
  }

  private SuiteContract(String suite, int share, SuiteRunner runner, List<String> tests) {
    this.suite = suite;
    this.share = share;
    this.classes = tests;
    this.runner = runner;
  }

  Stream<String> fabrics() {
    return Stream.of("tcp", "shm", "nio");
  }

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
    new SuiteComparison(suite, runner, classes).over(fabric, stock, stock.size() / share);
  }
}
