package io.github.vertxrdma.provider.contract;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs test classes without Maven. The exit status is 1 if a test failed or none was found. At SIGTERM the running test counts as failed.
 */
public final class TestRun implements TestExecutionListener {
  private final PrintStream out = System.out;
  private final Map<String, String> skipped = new TreeMap<>();
  private final Map<String, Throwable> failed = new TreeMap<>();
  private TestPlan plan;
  private int passed;
  private long started;
  private volatile String running;

  private TestRun() {
  }

  /** @param args full names of test classes, each optionally with {@code #method} */
  public static void main(String[] args) {
    TestRun run = new TestRun();
    Runtime.getRuntime().addShutdownHook(new Thread(run::ended));
    List<? extends DiscoverySelector> selectors = Stream.of(args).flatMap(TestRun::select).toList();
    LauncherFactory.create().execute(LauncherDiscoveryRequestBuilder.request()
      .filters(ClassNameFilter.includeClassNamePatterns(".*")).selectors(selectors).build(), run);
    // Threads of a test must not keep the process alive.
    System.exit(run.report() ? 0 : 1);
  }

  private static Stream<? extends DiscoverySelector> select(String arg) {
    int end = arg.indexOf('#');
    if (end < 0) {
      return Stream.of(DiscoverySelectors.selectClass(arg));
    }
    Class<?> type = DiscoverySelectors.selectClass(arg.substring(0, end)).getJavaClass();
    // A selector by name alone finds only methods without parameters.
    List<Method> methods = ReflectionSupport.findMethods(type, method -> method.getName().equals(arg.substring(end + 1)),
      HierarchyTraversalMode.TOP_DOWN);
    if (methods.isEmpty()) {
      throw new IllegalArgumentException("cannot run " + arg + ": the class has no such method");
    }
    return methods.stream().map(method -> DiscoverySelectors.selectMethod(type, method));
  }

  @Override
  public void testPlanExecutionStarted(TestPlan testPlan) {
    plan = testPlan;
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    started = System.nanoTime();
    running = test.isTest() ? name(test) : running;
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    skipped.put(name(test), reason);
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    switch (result.getStatus()) {
      case SUCCESSFUL -> passed += test.isTest() ? 1 : 0;
      case ABORTED -> skipped.put(name(test), result.getThrowable().map(Throwable::getMessage).orElse(""));
      case FAILED -> failed.put(name(test), result.getThrowable().orElse(null));
    }
    if (test.isTest()) {
      running = null;
      out.printf("%s %s (%d ms)%n", switch (result.getStatus()) {
        case SUCCESSFUL -> "ok  ";
        case ABORTED -> "skip";
        case FAILED -> "FAIL";
      }, name(test), (System.nanoTime() - started) / 1_000_000);
      // Prints the failure now, because the process may crash before its report.
      if (result.getStatus() == TestExecutionResult.Status.FAILED) {
        for (Throwable t = result.getThrowable().orElse(null); t != null; t = t.getCause()) {
          out.println("     " + t);
        }
      }
    }
  }

  @Override
  public void reportingEntryPublished(TestIdentifier test, ReportEntry entry) {
    entry.getKeyValuePairs().forEach((key, value) -> out.printf("figure %s: %s %s%n", name(test), key, value));
  }

  private String name(TestIdentifier test) {
    String parents = plan.getParent(test).filter(parent -> plan.getParent(parent).isPresent()).map(this::name).orElse("");
    return parents.isEmpty() ? test.getDisplayName() : parents + ' ' + test.getDisplayName().replaceAll("\\([A-Za-z, ]*\\)$", "");
  }

  private void ended() {
    String test = running;
    if (test != null) {
      failed.put(test, new AssertionError("the test did not end: its process was ended after "
        + (System.nanoTime() - started) / 1_000_000_000 + " s; the stacks of its threads are above"));
      out.printf("FAIL %s%n", test);
      report();
    }
  }

  private boolean report() {
    skipped.forEach((name, reason) -> out.println("skipped " + name + ": " + reason));
    failed.forEach((name, failure) -> {
      out.println("failed " + name + ':');
      if (failure != null) {
        PrintWriter writer = new PrintWriter(out);
        failure.printStackTrace(writer);
        writer.flush();
      }
    });
    failed.keySet().forEach(name -> out.println("failed " + name));
    out.println(passed + " passed, " + failed.size() + " failed, " + skipped.size() + " skipped");
    out.flush();
    return failed.isEmpty() && passed + skipped.size() > 0;
  }
}
