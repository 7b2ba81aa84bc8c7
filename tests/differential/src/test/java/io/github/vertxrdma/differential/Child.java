package io.github.vertxrdma.differential;

import io.github.vertxrdma.provider.contract.Signals;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** A process of {@link Program}. Thread-safe. */
final class Child implements AutoCloseable {
  /** Longest wait for an answer on a busy machine. */
  static final int PATIENCE_SECONDS = 120;
  /** Longest wait for the end of a killed process, and for the output of an ended one. */
  private static final int END_SECONDS = 20;
  private static final Set<Process> ALL = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> ALL.forEach(Process::destroyForcibly)));
  }

  private final String name;
  private final Process process;
  private final List<Line> lines = new ArrayList<>();
  private int answers;
  private boolean ended;

  /** A line of standard output, and when it was read. */
  record Line(long nanos, String text) {
  }

  private Child(String name, Process process, Path log) {
    this.name = name;
    this.process = process;
    ALL.add(process);
    Thread reader = new Thread(() -> read(log), name);
    reader.setDaemon(true);
    reader.start();
  }

  static Child start(String name, List<String> options, Map<String, String> environment, String classPath, Path log,
    List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData", "-Xshare:auto", "--enable-native-access=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow", "-Dio.netty.noUnsafe=true", "--add-modules", "java.se", "--add-exports",
      "java.base/jdk.internal.ref=ALL-UNNAMED", "--add-opens", "java.base/java.lang=ALL-UNNAMED", "--add-opens",
      "java.base/sun.nio.ch=ALL-UNNAMED", "--add-opens", "java.management/sun.management=ALL-UNNAMED", "--add-opens",
      "jdk.management/com.sun.management.internal=ALL-UNNAMED"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, Program.class.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(new File(log + ".err"));
    builder.environment().putAll(environment);
    return new Child(name, builder.start(), log);
  }

  private void read(Path log) {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      Writer copy = Files.newBufferedWriter(log)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (!line.startsWith("=report ")) {
          copy.write(System.nanoTime() / 1_000_000 % 10_000_000 + " " + line + "\n");
          copy.flush();
        }
        synchronized (lines) {
          lines.add(new Line(System.nanoTime(), line));
          lines.notifyAll();
        }
      }
    } catch (IOException e) {
      // The process has ended.
    }
    synchronized (lines) {
      ended = true;
      lines.notifyAll();
    }
  }

  void send(JsonObject command) {
    try {
      process.getOutputStream().write((command.encode() + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new IllegalStateException(name + " has ended: " + tail(), e);
    }
  }

  /** Sends a command and waits for the answer that begins with the word. */
  JsonObject ask(JsonObject command, String word) throws InterruptedException {
    send(command);
    return await(word, PATIENCE_SECONDS);
  }

  /** Waits for an answer that begins with the word, and skips other answers. */
  JsonObject await(String word, int seconds) throws InterruptedException {
    JsonObject answer = poll(word, seconds);
    if (answer == null) {
      throw new IllegalStateException(name + " did not answer '" + word + "' in " + seconds + " s: " + tail());
    }
    return answer;
  }

  /** Returns the answer that begins with the word, or null after the time or the process's end. */
  JsonObject poll(String word, int seconds) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    String start = '=' + word + ' ';
    synchronized (lines) {
      for (;;) {
        while (answers < lines.size()) {
          String line = lines.get(answers++).text;
          if (line.startsWith(start)) {
            return new JsonObject(line.substring(start.length()));
          }
        }
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (ended || left <= 0) {
          return null;
        }
        lines.wait(left);
      }
    }
  }

  int mark() {
    synchronized (lines) {
      return lines.size();
    }
  }

  List<Line> since(int mark) {
    synchronized (lines) {
      return List.copyOf(lines.subList(mark, lines.size()));
    }
  }

  /** Sends {@code STOP}, {@code CONT}, {@code TERM} or {@code KILL}. */
  void signal(String signal) throws IOException, InterruptedException {
    Signals.send(process.pid(), signal);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** @return the exit code, or -1 if the process does not end */
  int exitCode(int seconds) throws InterruptedException {
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      return -1;
    }
    synchronized (lines) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
      while (!ended && System.nanoTime() < end) {
        lines.wait(100);
      }
    }
    return process.exitValue();
  }

  private String tail() {
    List<Line> all = since(0);
    return all.subList(Math.max(0, all.size() - 15), all.size()).stream().map(Line::text).toList().toString();
  }

  @Override
  public void close() {
    try {
      // The process's files are deleted next.
      process.destroyForcibly().waitFor(END_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ALL.remove(process);
  }

  @Override
  public String toString() {
    return name;
  }
}
