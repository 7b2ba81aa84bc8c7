package io.github.vertxrdma.environments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.RefusedCalls;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;

final class ApplicationRun {
  private static final int SECONDS = 200;

  private final Path folder;
  private final Path jar;
  private final List<String> program = new ArrayList<>();
  private final Map<String, String> environment = new HashMap<>();
  private final List<String> jvm = new ArrayList<>();
  private List<Path> classPath = FatJar.classPath();
  private String options;
  private String runtime;
  private String text;

  /** @param jar null for the class path of this process */
  ApplicationRun(Path folder, Path jar) throws IOException {
    this.folder = Files.createTempDirectory(folder, "run");
    this.jar = jar;
    this.runtime = this.folder.resolve("run").toString();
  }

  /** Sets options instead of those in the class path. */
  ApplicationRun options(String json) {
    options = json;
    return this;
  }

  /** Sets a command prefix that restricts the application. */
  ApplicationRun by(String... command) {
    program.addAll(List.of(command));
    return this;
  }

  ApplicationRun environment(String name, String value) {
    environment.put(name, value);
    return this;
  }

  ApplicationRun jvm(String... flags) {
    jvm.addAll(List.of(flags));
    return this;
  }

  /** @param path null for the user's own */
  ApplicationRun runtime(String path) {
    runtime = path;
    return this;
  }

  /** Sets the class path of an application without a jar. */
  ApplicationRun classPath(List<Path> parts) {
    classPath = parts;
    return this;
  }

  Path folder() {
    return folder;
  }

  /**
   * @param what argument of the application
   * @return the application's lines by their first words; lines with the same word in one text
   */
  Map<String, String> run(String what) throws IOException, InterruptedException {
    Map<String, String> lines = execute(what);
    assertFalse(lines.containsKey("failed"), text);
    return lines;
  }

  /**
   * Runs a case that has to fail.
   *
   * @return the failure
   */
  String failure(String what) throws IOException, InterruptedException {
    Map<String, String> lines = execute(what);
    assertTrue(lines.containsKey("failed"), text);
    return lines.get("failed");
  }

  private Map<String, String> execute(String what) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx300m",
      "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED"));
    command.addAll(jvm);
    if (jvm.stream().noneMatch(flag -> flag.endsWith("GC"))) {
      command.add("-XX:+UseSerialGC");
    }
    if (runtime != null) {
      command.add("-Dvertx.rdma.runtime=" + runtime);
    }
    if (options != null) {
      command.add("-Dvertx.rdma.config=" + Files.writeString(folder.resolve("options.json"), options));
    }
    command.addAll(jar != null ? List.of("-jar", jar.toString())
      : List.of("-cp", classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
        PackedMain.class.getName()));
    command.add(what);
    Path output = folder.resolve("output");
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
      .redirectOutput(output.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      assertTrue(process.waitFor(SECONDS, TimeUnit.SECONDS), () -> "it did not end: " + text(output));
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    text = text(output);
    Assumptions.assumeFalse(text.equals(RefusedCalls.UNABLE + '\n'), RefusedCalls.UNABLE);
    assertEquals(0, process.exitValue(), text);
    return text.lines().filter(line -> line.matches("[a-z]+: .*"))
      .collect(Collectors.toMap(line -> line.substring(0, line.indexOf(':')), line -> line.substring(line.indexOf(':') + 2),
        (one, other) -> one + '\n' + other));
  }

  static boolean succeeds(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
      try {
        return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
      } finally {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (IOException e) {
      return false;
    }
  }

  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  String output() {
    return text;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return e.toString();
    }
  }
}
