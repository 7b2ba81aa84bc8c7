package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.WorkerAnswers;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Process that reads commands and prints answers as lines. The last lines of its other output are kept for error messages. It ends with
 * this process: its input ends even if this process is killed.
 */
public class ChildProcess implements AutoCloseable {
  public static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();
  private static final String END = "\u0000";
  private static final int KEPT = 20;
  private static final long END_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final Set<ChildProcess> RUNNING = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(ChildProcess::endAll));
  }

  private final String name;
  private final Process process;
  private final Thread reader;
  private final BufferedWriter in;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
  private long patience;
  private boolean isReady = true;

  /** @param seconds time limit of each answer of {@link WorkerAnswers}, including the first */
  public ChildProcess(String name, List<String> command, long seconds) throws IOException {
    this(name, command, line -> line.startsWith(WorkerAnswers.MARK));
    patience = seconds;
    isReady = false;
  }

  public ChildProcess(String name, List<String> command, Predicate<String> isAnswer) throws IOException {
    this.name = name;
    this.process = new ProcessBuilder(command).redirectErrorStream(true).start();
    this.in = new BufferedWriter(new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    RUNNING.add(this);
    this.reader = new Thread(() -> read(isAnswer), name);
    reader.setDaemon(true);
    reader.start();
  }

  private void read(Predicate<String> isAnswer) {
    try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = out.readLine()) != null) {
        if (isAnswer.test(line)) {
          lines.add(line);
        } else {
          output.add(line);
          if (output.size() > KEPT) {
            output.poll();
          }
          if (Boolean.getBoolean("perf.verbose")) {
            System.err.println(name + ": " + line);
          }
        }
      }
    } catch (IOException e) {
      output.add(e.toString());
    }
    lines.add(END);
    RUNNING.remove(this);
  }

  public final void awaitReady() throws InterruptedException {
    if (!isReady) {
      isReady = true;
      json();
    }
  }

  /** Sends a line when the process is ready. @throws PerfException if the process has ended */
  public final void send(String line) throws InterruptedException {
    awaitReady();
    try {
      in.write(line);
      in.newLine();
      in.flush();
    } catch (IOException e) {
      throw ended();
    }
  }

  private PerfException ended() throws InterruptedException {
    boolean isOver = process.waitFor(END_NANOS, TimeUnit.NANOSECONDS);
    reader.join(Duration.ofNanos(END_NANOS));
    return new PerfException(name + (isOver ? " ended with status " + process.exitValue() : " closed its streams") + words());
  }

  /** @throws PerfException if no answer comes in time, or the process has ended */
  public final String answer(long seconds) throws InterruptedException {
    String line = lines.poll(seconds, TimeUnit.SECONDS);
    if (line == null) {
      throw new PerfException(name + " did not answer in " + seconds + " s" + words());
    }
    if (line.equals(END)) {
      throw ended();
    }
    return line;
  }

  /** Returns the next answer of {@link WorkerAnswers}. @throws PerfException if it is a failure or late */
  public final JsonObject json() throws InterruptedException {
    return json(0);
  }

  final JsonObject json(long longer) throws InterruptedException {
    JsonObject answer = new JsonObject(answer(patience + longer).substring(WorkerAnswers.MARK.length()));
    if (answer.containsKey(WorkerAnswers.FAILURE)) {
      throw new PerfException(name + ": " + answer.getString(WorkerAnswers.FAILURE));
    }
    return answer;
  }

  public final JsonObject ask(String command) throws InterruptedException {
    send(command);
    return json();
  }

  private String words() {
    return output.isEmpty() ? "" : ": " + String.join(" | ", output);
  }

  /** Returns the processor time; zero if the system does not report it. */
  final Duration cpu() {
    return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  public final long pid() {
    return process.pid();
  }

  public final void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /**
   * Returns all output of a program.
   *
   * @throws IOException if the program is missing or fails; the message contains the output
   */
  public static String output(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    try {
      if (process.waitFor() != 0) {
        throw new IOException(command.getFirst() + " failed: " + words);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    return words;
  }

  public static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("rdma: cannot remove " + folder + ": " + e.getMessage());
    }
  }

  /** Closes the input, which makes the process end. Kills the process after 5 s. */
  @Override
  public final void close() {
    end(List.of(this));
  }

  private static void endAll() {
    end(List.copyOf(RUNNING));
  }

  static void end(List<ChildProcess> processes) {
    processes.forEach(ChildProcess::endInput);
    long end = System.nanoTime() + END_NANOS;
    processes.forEach(each -> each.awaitEnd(end));
  }

  private void endInput() {
    try {
      in.close();
    } catch (IOException e) {
      // The process has ended already.
    }
  }

  private void awaitEnd(long end) {
    try {
      if (!process.waitFor(end - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        process.destroyForcibly().waitFor(END_NANOS, TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
