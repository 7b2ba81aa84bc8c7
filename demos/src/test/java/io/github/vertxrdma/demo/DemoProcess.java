package io.github.vertxrdma.demo;

import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Signals;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

final class DemoProcess implements AutoCloseable {
  private final Process process;
  private final StringBuilder output = new StringBuilder();
  private final Thread reader;

  private DemoProcess(Process process) {
    this.process = process;
    this.reader = Thread.ofPlatform().daemon().start(this::read);
  }

  static DemoProcess start(String... args) throws IOException {
    return start(List.of(), args);
  }

  static DemoProcess start(List<String> flags, String... args) throws IOException {
    return start(flags, Map.of(), args);
  }

  static DemoProcess start(List<String> flags, Map<String, String> environment, String... args) throws IOException {
    List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow", "-Dio.netty.noUnsafe=true", "--add-modules=java.se",
      "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED", "--add-opens=java.base/java.lang=ALL-UNNAMED",
      "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens=java.management/sun.management=ALL-UNNAMED",
      "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx512m",
      "-cp", System.getProperty("java.class.path")));
    command.addAll(ChildJvm.archive(System.getProperty("java.class.path")));
    command.addAll(flags);
    command.addAll(List.of(Main.class.getName(), "demo"));
    command.addAll(List.of(args));
    ProcessBuilder demo = new ProcessBuilder(command).redirectErrorStream(true);
    demo.environment().putAll(environment);
    return new DemoProcess(demo.start());
  }

  private void read() {
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line; (line = lines.readLine()) != null;) {
        synchronized (output) {
          output.append(line).append('\n');
          output.notifyAll();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String output() {
    synchronized (output) {
      return output.toString();
    }
  }

  String line(String words) {
    return output().lines().filter(line -> line.contains(words)).findFirst().orElse("");
  }

  boolean isAlive() {
    return process.isAlive();
  }

  ProcessHandle node(String name) {
    return find(name).orElseThrow(
      () -> new AssertionError("no process of node " + name + " among " + process.descendants().map(DemoProcess::commandLine).toList()));
  }

  boolean hasNode(String name) {
    return find(name).isPresent();
  }

  private Optional<ProcessHandle> find(String name) {
    return process.descendants().filter(p -> commandLine(p).contains("--node " + name)).findFirst();
  }

  void signal(String node, String signal) throws IOException, InterruptedException {
    Signals.send(node(node).pid(), signal);
  }

  /** Reads the command line from /proc, since {@link ProcessHandle} cuts it after 4 kB. */
  private static String commandLine(ProcessHandle of) {
    Path file = Path.of("/proc", Long.toString(of.pid()), "cmdline");
    try {
      return Files.exists(file) ? Files.readString(file).replace('\0', ' ') : of.info().commandLine().orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  long pid() {
    return process.pid();
  }

  void stop() {
    process.destroy();
  }

  /** Kills the process that starts the nodes. */
  void kill() {
    process.destroyForcibly();
  }

  int waitFor() throws InterruptedException {
    if (!process.waitFor(450, TimeUnit.SECONDS)) {
      throw new AssertionError("the demo is still running:\n" + output());
    }
    reader.join(TimeUnit.SECONDS.toMillis(20));
    return process.exitValue();
  }

  /** Waits at most three minutes. The output wakes the caller. */
  void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(180);
    synchronized (output) {
      while (!condition.getAsBoolean()) {
        if (System.nanoTime() > end) {
          throw new AssertionError("it did not happen in 180 s:\n" + output);
        }
        output.wait(100);
      }
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }
}
