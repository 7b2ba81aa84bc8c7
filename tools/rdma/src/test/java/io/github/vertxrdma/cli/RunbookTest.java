package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;

@Timeout(60)
class RunbookTest {
  private static final String WRITE = "; make it anew: mvn -pl tools/rdma -am test -Dtest=RunbookTest"
    + " -Dsurefire.failIfNoSpecifiedTests=false -Dtest.jvm=-Dvertx.rdma.docs.write=true";

  @Test
  void everyMessageIsListed() throws IOException {
    TreeSet<String> logged = Runbook.logged();
    assertTrue(logged.size() > 60, () -> "only " + logged.size() + " messages were found");
    TreeSet<String> listed = new Runbook().listed();
    Set<String> missing = new TreeSet<>(logged);
    missing.removeAll(listed);
    listed.removeAll(logged);
    assertEquals("[] []", missing + " " + listed, "messages that docs/messages.txt lacks, and that no code logs");
  }

  @Test
  void everyRowHasMeaningUrgencyAndRemedy() throws IOException {
    assertEquals(List.of(), new Runbook().incomplete());
  }

  @Test
  void textIsTakenFromLiteralsAndWhatVariesIsAnEllipsis() {
    TreeSet<String> found = new TreeSet<>();
    Runbook.addLogged(found, "Some", """
      private final Refusals deaths = new Refusals(LOG, clock);
      LOG.warn("Node \\"" + name(a, ")") + "\\" has " + (n > 1 ? "two" : "one") + b + " (of " + "many)", e);
      LOGGER.log(System.Logger.Level.ERROR, "{0} of {1} failed", a, b);
      (slow ? abandoned : deaths).log("It is " + state);
      abandoned.log("INFO");
      LOG.info("INFO");
      """);
    assertEquals(Set.of("WARNING Some: Node \"…\" has … (of many)", "SEVERE Some: … of … failed", "WARNING Some: It is …"), found);
  }

  @Test
  void thePageIsUpToDate() throws IOException {
    upToDate(Runbook.PAGE, new Runbook().page());
  }

  @Test
  void theRulesAreUpToDate() throws IOException {
    upToDate(Runbook.RULES, new Runbook().rules());
  }

  private static void upToDate(Path file, String text) throws IOException {
    if (Boolean.getBoolean("vertx.rdma.docs.write")) {
      Files.writeString(file, text);
    }
    assertEquals(text, Files.readString(file), file + " is out of date" + WRITE);
  }

  @Test
  void prometheusOfTheComposeFileLoadsTheRules() throws IOException {
    String path = "/etc/prometheus/alerts.yml";
    assertTrue(Files.readString(PROJECT.resolve("docker/metrics/prometheus.yml")).contains("rule_files: [" + path + "]"));
    assertTrue(Files.readString(PROJECT.resolve("docker-compose.yml")).contains("./docker/metrics/alerts.yml:" + path + ":ro"));
  }

  @Test
  void alertsFireAsTheirTestSays() throws Exception {
    Path tests = PROJECT.resolve("docker/metrics/alerts-test.yml");
    List<String> untested = new Runbook().alerts().stream().map(Runbook.Row::source).filter(name -> !read(tests).contains('"' + name + '"'))
      .toList();
    assertEquals(List.of(), untested);
    for (List<String> command : List.of(List.of("check", "rules", Runbook.RULES.toString()), List.of("test", "rules", tests.toString()))) {
      Process promtool;
      try {
        promtool = new ProcessBuilder(Stream.concat(Stream.of("promtool"), command.stream()).toList()).redirectErrorStream(true).start();
      } catch (IOException e) {
        throw new TestAbortedException("there is no promtool here, which Debian's package prometheus has");
      }
      String output = new String(promtool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, promtool.waitFor(), output);
    }
  }

  @Test
  void everyMetricExists() throws IOException {
    String meters;
    try (Stream<Path> sources = Files.list(PROJECT.resolve("extensions/metrics/src/main/java/io/github/vertxrdma/metrics"))) {
      meters = sources.map(RunbookTest::read).collect(Collectors.joining());
    }
    String used = new Runbook().rules() + read(PROJECT.resolve("docker/metrics/dashboard.json"))
      + read(PROJECT.resolve("docs/runbook.adoc"));
    Set<String> names = Pattern.compile("vertx_rdma_([a-z_]+)").matcher(used).results().map((MatchResult found) -> found.group(1))
      .map(name -> name.replaceAll("_(total|seconds)$", "").replace('_', '.')).collect(Collectors.toCollection(TreeSet::new));
    assertTrue(names.size() > 20, names.toString());
    names.removeIf(name -> meters.contains("\"" + name + "\"") || meters.contains("\"vertx.rdma." + name + "\""));
    assertEquals(Set.of(), names);
  }

  @Test
  void everyLoggerOfTheDocsIsAClassOrAPackage() throws IOException {
    String page = read(PROJECT.resolve("docs/observing.adoc"));
    Set<String> loggers = Pattern.compile("`(io\\.github\\.vertxrdma[.\\w]*)`").matcher(page.substring(page.indexOf("== The log")))
      .results().map(found -> found.group(1).replace('.', '/')).collect(Collectors.toCollection(TreeSet::new));
    assertTrue(loggers.size() > 3, loggers.toString());
    List<String> sources = ProjectFiles.all().stream().map(Path::toString).filter(file -> file.contains("/src/main/java/")).toList();
    loggers
      .removeIf(logger -> sources.stream().anyMatch(file -> file.contains("/" + logger + "/") || file.endsWith("/" + logger + ".java")));
    assertEquals(Set.of(), loggers);
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
