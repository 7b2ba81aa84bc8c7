package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.ProjectFiles.PROJECT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The queue of tests on a small project with one module, whose test classes write their names and poll policy to a file. */
@Timeout(180)
@Tag("full")
class QueueTest {
  @TempDir
  Path root;
  private Path module;
  private String output;

  @BeforeEach
  void makeUpProject() throws IOException {
    module = Files.createDirectories(root.resolve("a/module"));
    Files.createDirectories(root.resolve("tests/queue/target"));
    Files.writeString(root.resolve("tests/times.tsv"), "LongTest\t100\t2\n");
    for (Path target : List.of(Files.createDirectories(module.resolve("target")), root.resolve("tests/queue/target"))) {
      Files.writeString(target.resolve("test.classpath"), target.resolve("test-classes") + ":" + System.getProperty("java.class.path"));
      Files.writeString(target.resolve("test.properties"), "test.arguments=-Xmx64m -XX\\:+UseSerialGC\ntest.reuse=true\n");
    }
  }

  private void tests(Map<String, String> methods) throws IOException {
    List<String> command = new ArrayList<>(List.of("-proc:none", "-cp", System.getProperty("java.class.path"), "-d",
      module.resolve("target/test-classes").toString()));
    for (Map.Entry<String, String> each : methods.entrySet()) {
      Path source = Files.createDirectories(root.resolve("sources")).resolve(each.getKey() + ".java");
      Files.writeString(source, """
        import java.nio.file.*;
        import org.junit.jupiter.api.*;
        class %1$s {
          static void ran() throws Exception {
            Files.writeString(Path.of("ran"), "%1$s " + System.getenv("VERTX_RDMA_POLL") + "\\n",
              StandardOpenOption.CREATE, StandardOpenOption.APPEND);
          }
          %2$s
        }
        """.formatted(each.getKey(), each.getValue()));
      command.add(source.toString());
    }
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, command.toArray(String[]::new)));
  }

  private void run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin/java").toString(), "-XX:+UseSerialGC",
      PROJECT.resolve("tests/queue/Queue.java").toString(), root.toString(), root.resolve("logs").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().remove("VERTX_RDMA_POLL");
    Process process = builder.start();
    output = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor(), output);
  }

  private List<String> ran() throws IOException {
    return Files.readAllLines(module.resolve("ran"));
  }

  private static Set<String> names(List<String> lines) {
    return lines.stream().map(line -> line.split(" ")[0]).collect(Collectors.toCollection(TreeSet::new));
  }

  private String failures() throws IOException {
    Path file = root.resolve("logs/queue.log");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  @Test
  void failedTestIsPrintedAndOthersRun() throws Exception {
    tests(Map.of("GoodTest", "@Test void good() throws Exception { ran(); }",
      "BadTest", "@Test void bad() throws Exception { ran(); Assertions.fail(\"no\"); }"));
    run();
    assertEquals(Set.of("BadTest", "GoodTest"), names(ran()));
    assertTrue(output.contains("failed: BadTest.bad()") && output.contains("2 tests"), output);
    assertEquals("", failures());
  }

  @Test
  void classWithoutReportHasFailed() throws Exception {
    tests(Map.of("ExitTest", "@Test void exits() { System.exit(0); }"));
    run();
    assertTrue(failures().startsWith("failed\tExitTest\tleft no report; its JVM ended with status 0; see "), failures());
    tests(Map.of("CrashTest", "@Tag(\"full\") @Test void crashes() { Runtime.getRuntime().halt(134); }"));
    run("test=CrashTest");
    assertTrue(failures().contains("\nfailed\tCrashTest\tleft no report; its JVM ended with status 134; see "), failures());
    tests(Map.of("EmptyTest", ""));
    run("test=EmptyTest");
    assertTrue(failures().contains("\nfailed\tEmptyTest\tleft no report; its JVM ended with status 0; see "), failures());
  }

  @Test
  void jvmThatHangsIsEndedAfterAThreadDump() throws Exception {
    tests(Map.of("HangTest", "@Test void hangs() throws Exception { new java.util.concurrent.CountDownLatch(1).await(); }"));
    run("limit=20");
    assertTrue(failures().startsWith("failed\tHangTest\tleft no report; its JVM took too long and was ended; see "), failures());
    assertTrue(Files.readString(root.resolve("logs/a-module-HangTest.log")).contains("at HangTest.hangs("));
  }

  @Test
  void tagsSelectTests() throws Exception {
    tests(Map.of("FullTest", "@Tag(\"full\") @Test void full() throws Exception { ran(); }",
      "AbstractTest", "} abstract class AnotherAbstractTest { @Test void none() { }"));
    run("exclude=full,long", "test=FullTest");
    assertFalse(Files.exists(module.resolve("ran")), output);
    assertEquals("", failures());
    run("include=full", "test=FullTest");
    assertEquals(Set.of("FullTest"), names(ran()));
    run("test=AnotherAbstractTest");
    assertEquals("", failures());
  }

  @Test
  void testsThatMustRunAloneAreLast() throws Exception {
    tests(Map.of("LongTest", "@Test void lasts() throws Exception { Thread.sleep(1000); ran(); }",
      "PartlyAloneTest", "@Test void together() { } @Tag(\"alone\") @Test void alone() throws Exception { ran(); }"));
    run();
    assertEquals(List.of("LongTest", "PartlyAloneTest"), ran().stream().map(line -> line.split(" ")[0]).toList());
  }

  @Test
  void eventLoopsSleepExceptInTestsOfPollingAndInAThirdBySeed() throws Exception {
    tests(Map.of("PollTest", "@Test void polls() throws Exception { ran(); } } @Tag(\"polling\") class OtherTest {"
      + " @Test void polls() throws Exception { PollTest.ran(); }"));
    Set<String> seen = new TreeSet<>();
    for (int seed = 0; seed < 20 && seen.size() < 2; seed++) {
      Files.deleteIfExists(module.resolve("ran"));
      run("seed=" + seed, "test=PollTest");
      seen.addAll(ran());
    }
    assertEquals(Set.of("PollTest blocking", "PollTest null"), seen);
    for (int seed = 0; seed < 4; seed++) {
      Files.deleteIfExists(module.resolve("ran"));
      run("seed=" + seed, "test=OtherTest");
      assertEquals(List.of("PollTest null"), ran());
    }
  }
}
