package io.github.vertxrdma.suites;

import io.github.vertxrdma.impl.transport.TransportCounters;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/** Writes a line for each event at once, so that a crash loses none. Arguments: the file, then {@code class} or {@code class#test}. */
final class SuiteProcess implements TestExecutionListener {
  private final PrintWriter out;
  private final Map<TestIdentifier, Long> started = new ConcurrentHashMap<>();

  private SuiteProcess(PrintWriter out) {
    this.out = out;
  }

  public static void main(String[] args) throws Exception {
    try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(Path.of(args[0])), true)) {
      LauncherFactory.create().execute(request(List.of(args).subList(1, args.length)), new SuiteProcess(out));
      TransportCounters counters = TransportCounters.PROCESS;
      line(out, SuiteResult.REPORT, Long.toString(counters.channels()), counters.bytes() + "\t" + OverRdma.calls() + "\t"
        + counters.fallbacks() + "\t" + counters + "; " + OverRdma.calls() + " calls of gRPC");
    } catch (IOException | ReflectiveOperationException e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(2);
    }
    // Threads that tests leave behind would keep the process alive.
    Runtime.getRuntime().halt(0);
  }

  private static LauncherDiscoveryRequest request(List<String> wanted) throws ReflectiveOperationException {
    SuiteLoader loader = new SuiteLoader();
    Set<String> whole = new LinkedHashSet<>();
    Set<String> single = new LinkedHashSet<>();
    // Time limit: a test that hangs must not end the others.
    LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request()
      .configurationParameter("junit.jupiter.execution.timeout.default", "60 s")
      .configurationParameter("junit.jupiter.execution.timeout.thread.mode.default", "SEPARATE_THREAD");
    for (String each : wanted) {
      // All parameters of a test are run.
      (each.indexOf('#') < 0 ? whole : single).add(each.replaceFirst("\\[.*", ""));
    }
    for (String name : Stream.concat(whole.stream(), single.stream().map(each -> each.substring(0, each.indexOf('#')))).distinct()
      .toList()) {
      request.selectors(DiscoverySelectors.selectClass(Class.forName(name, false, loader)));
    }
    return request.filters((PostDiscoveryFilter) test -> FilterResult.includedIf(isWanted(test, whole, single))).build();
  }

  private static boolean isWanted(TestDescriptor test, Set<String> whole, Set<String> single) {
    return switch (test.getSource().orElse(null)) {
      case MethodSource method ->
        whole.contains(method.getClassName()) || single.contains(method.getClassName() + '#' + method.getMethodName());
      case ClassSource of when test.isTest() ->
        whole.contains(of.getClassName()) || single.contains(of.getClassName() + '#' + test.getDisplayName());
      case null, default -> true;
    };
  }

  private static void line(PrintWriter out, String kind, String what, String more) {
    out.println(kind + '\t' + what + '\t' + more);
  }

  private static String name(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    if (source instanceof MethodSource method) {
      String name = test.getLegacyReportingName();
      int index = name.endsWith("]") ? name.lastIndexOf('[') : name.length();
      return method.getClassName() + '#' + method.getMethodName() + name.substring(index);
    }
    // The source of an overloaded method is its class.
    return source instanceof ClassSource of ? of.getClassName() + (test.isTest() ? '#' + test.getDisplayName() : "")
      : test.getDisplayName();
  }

  @Override
  public void executionStarted(TestIdentifier test) {
    if (test.isTest()) {
      started.put(test, System.nanoTime());
      System.out.println("==== " + name(test));
      line(out, SuiteResult.STARTED, name(test), "");
    }
  }

  @Override
  public void executionSkipped(TestIdentifier test, String reason) {
    line(out, SuiteResult.SKIPPED, name(test), "");
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Throwable cause = result.getThrowable().orElse(null);
    if (cause != null) {
      cause.printStackTrace(System.out);
    }
    switch (result.getStatus()) {
      case SUCCESSFUL -> {
        if (test.isTest()) {
          line(out, SuiteResult.PASSED, name(test), (System.nanoTime() - started.get(test)) / 1_000_000 + " ms");
        }
      }
      case ABORTED -> line(out, SuiteResult.SKIPPED, name(test), "");
      case FAILED -> line(out, SuiteResult.FAILED, name(test), cause == null ? "" : cause.getClass().getSimpleName()
        + (cause.getMessage() == null ? "" : ": " + cause.getMessage().lines().findFirst().orElse("").replace('\t', ' ')));
    }
  }
}
