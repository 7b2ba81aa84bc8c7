package io.github.vertxrdma.suites;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Each run has its own process. */
final class SuiteRunner {
  private static final long MINUTES = 45;
  /** Options with which all processes behave alike, and Hazelcast and Netty log no advice. */
  private static final List<String> JVM = List.of("-Xmx1g", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
    "--sun-misc-unsafe-memory-access=allow", "-Dio.netty.noUnsafe=true", "-Dvertx.transport=epoll");

  private final String suite;
  private final Path logs;
  private final String directory;
  private final String streams;
  private int runs;

  /**
   * @param directory JSON configuration
   * @param streams {@code all}, or {@code none} if only the event bus uses the fabric
   */
  SuiteRunner(String suite, String directory, String streams) {
    this.suite = suite;
    this.directory = directory;
    this.streams = streams;
    this.logs = Path.of("target", "suites").toAbsolutePath();
  }

  static SuiteRunner ofStreams(String suite) {
    return new SuiteRunner(suite, "{\"type\": \"same-host\"}", "all");
  }

  /** @param tests {@code class} or {@code class#test} */
  SuiteResult stock(Collection<String> tests) throws IOException, InterruptedException {
    return run("stock", List.of("-Dvertx.rdma=off"), tests);
  }

  SuiteResult over(String fabric, Collection<String> tests) throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("vertx-rdma-suite");
    try {
      Path config = folder.resolve("vertx-rdma.json");
      Files.writeString(config, "{\"fabric\": \"" + fabric + "\", \"directory\": " + directory + ", \"transport\": {\"streams\": \""
        + streams + "\"}}");
      return run(fabric, List.of("-Dvertx.rdma.config=" + config, "-Dvertx.rdma.runtime=" + folder.resolve("run")), tests);
    } finally {
      try (Stream<Path> files = Files.walk(folder)) {
        files.sorted(Comparator.reverseOrder()).forEach(SuiteRunner::delete);
      }
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private SuiteResult run(String kind, List<String> options, Collection<String> tests) throws IOException, InterruptedException {
    Path folder = Files.createDirectories(logs.resolve(suite));
    String name = kind + '-' + ++runs;
    Path result = folder.resolve(name + ".txt");
    Files.deleteIfExists(result);
    Files.createFile(result);
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(JVM);
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), SuiteProcess.class.getName(), result.toString()));
    command.addAll(tests);
    long start = System.nanoTime();
    // Tests write into their working folder.
    Path work = Files.createDirectories(folder.resolve(name));
    Process process = new ProcessBuilder(command).directory(work.toFile()).redirectErrorStream(true)
      .redirectOutput(folder.resolve(name + ".log").toFile()).start();
    try {
      process.waitFor(MINUTES, TimeUnit.MINUTES);
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    SuiteResult done = SuiteResult.read(result);
    System.out.printf("%s over %s: %s (%d s)%n", suite, kind, done, (System.nanoTime() - start) / 1_000_000_000);
    return done;
  }
}
