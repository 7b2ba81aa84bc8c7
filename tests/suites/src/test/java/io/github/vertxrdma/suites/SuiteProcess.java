package io.github.vertxrdma.suites;

import io.github.vertxrdma.impl.transport.TransportReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.runner.Description;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.manipulation.Filter;
import org.junit.runner.notification.Failure;
import org.junit.runner.notification.RunListener;

/**
 * Runs JUnit 4 classes, or single tests of them, in a process of its own and writes one line for each event into a file, so that what was
 * run is known however the process ends. Arguments: the file, then {@code class} or {@code class#test}.
 */
final class SuiteProcess extends RunListener {
  private final PrintWriter out;
  private final Set<Description> failed = new HashSet<>();
  private long started;

  private SuiteProcess(PrintWriter out) {
    this.out = out;
  }

  public static void main(String[] args) throws Exception {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(args[0])), true)) {
      JUnitCore core = new JUnitCore();
      core.addListener(new SuiteProcess(out));
      for (Map.Entry<String, Set<String>> wanted : wanted(args).entrySet()) {
        Request all = Request.aClass(Class.forName(wanted.getKey()));
        core.run(wanted.getValue().contains("") ? all : all.filterWith(only(wanted.getValue())));
      }
      line(out, SuiteResult.REPORT, Long.toString(TransportReport.channels()), TransportReport.bytes() + "\t" + TransportReport.fallbacks() + "\t"
        + TransportReport.line());
    } catch (IOException | ReflectiveOperationException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(2);
    }
    // Tests leave threads behind.
    Runtime.getRuntime().halt(0);
  }

  /** Tests by class; the empty name stands for all. */
  private static Map<String, Set<String>> wanted(String[] args) {
    return Arrays.stream(args, 1, args.length).map(arg -> arg.split("#", 2))
      .collect(Collectors.groupingBy(part -> part[0], LinkedHashMap::new,
        Collectors.mapping(part -> part.length == 1 ? "" : part[1], Collectors.toSet())));
  }

  private static Filter only(Set<String> methods) {
    return new Filter() {
      @Override
      public boolean shouldRun(Description description) {
        return description.isTest() ? methods.contains(description.getMethodName())
          : description.getChildren().stream().anyMatch(this::shouldRun);
      }

      @Override
      public String describe() {
        return methods.toString();
      }
    };
  }

  private static void line(PrintWriter out, String kind, String what, String more) {
    out.println(kind + '\t' + what + '\t' + more);
  }

  private static String name(Description test) {
    return test.getClassName() + '#' + test.getMethodName();
  }

  @Override
  public void testStarted(Description test) {
    started = System.nanoTime();
    System.out.println("==== " + name(test));
    line(out, SuiteResult.STARTED, name(test), "");
  }

  @Override
  public void testFailure(Failure failure) {
    failure.getException().printStackTrace(System.out);
    if (failed.add(failure.getDescription())) {
      Throwable cause = failure.getException();
      line(out, SuiteResult.FAILED, name(failure.getDescription()),
        cause.getClass().getSimpleName() + (cause.getMessage() == null ? "" : ": " + cause.getMessage().lines().findFirst().orElse("")));
    }
  }

  @Override
  public void testAssumptionFailure(Failure failure) {
    failed.add(failure.getDescription());
    line(out, SuiteResult.SKIPPED, name(failure.getDescription()), "");
  }

  @Override
  public void testIgnored(Description test) {
    line(out, SuiteResult.SKIPPED, name(test), "");
  }

  @Override
  public void testFinished(Description test) {
    if (!failed.contains(test)) {
      line(out, SuiteResult.PASSED, name(test), (System.nanoTime() - started) / 1_000_000 + " ms");
    }
  }
}
