package io.github.vertxrdma.provider.contract;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Another JVM, by default with the same class path. {@link #close} kills it. */
public final class ChildJvm implements AutoCloseable {
  private static final long OUTPUT_SECONDS = 20;
  private static final int LAST_LINES = 10;
  private static final long PATIENCE_SECONDS = Math.max(80, TimeUnit.MILLISECONDS.toSeconds(Await.patienceMillis()));

  private final Process process;
  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final List<String> awaited = new ArrayList<>();
  private final Thread reader;

  private ChildJvm(Process process) {
    this.process = process;
    reader = new Thread(this::read, "child-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  public static ChildJvm start(Class<?> main, String... arguments) throws IOException {
    return startOn(System.getProperty("java.class.path"), main, arguments);
  }

  public static ChildJvm startOn(String classPath, Class<?> main, String... arguments) throws IOException {
    return startBy(List.of(), classPath, main, arguments);
  }

  /** @param program command that starts the JVM with other rights or namespaces, such as {@code setpriv} */
  public static ChildJvm startBy(List<String> program, Class<?> main, String... arguments) throws IOException {
    return startBy(program, System.getProperty("java.class.path"), main, arguments);
  }

  public static ChildJvm startBy(List<String> program, String classPath, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(program);
    command.addAll(List.of(ProcessHandle.current().info().command().orElse("java"), "-Xmx256m", "-XX:+UseSerialGC",
      "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp", classPath));
    command.addAll(archive(classPath));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildJvm(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Returns options for a JVM with this class path: the archive of classes of this one, if that has the same. */
  public static List<String> archive(String classPath) {
    String archive = System.getProperty("vertx.rdma.test.archive");
    return archive == null || !classPath.equals(System.getProperty("java.class.path")) ? List.of()
      : List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:aot=off");
  }

  public long pid() {
    return process.pid();
  }

  /** Waits for an output line that begins with {@code start}, and returns its rest. */
  public String await(String start) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (end - System.nanoTime() > 0) {
      boolean over = !reader.isAlive();
      String line = lines.poll(100, TimeUnit.MILLISECONDS);
      if (line == null) {
        if (over) {
          throw new AssertionError("the child process ended with status " + process.waitFor() + " before it printed '" + start + "': "
            + awaited.subList(Math.max(0, awaited.size() - LAST_LINES), awaited.size()));
        }
        continue;
      }
      awaited.add(line);
      if (line.startsWith(start)) {
        return line.substring(start.length()).strip();
      }
    }
    throw new AssertionError("the child process did not print '" + start + "' but " + awaited);
  }

  public boolean hasPrinted(String start) {
    return lines.stream().anyMatch(line -> line.startsWith(start));
  }

  /** Returns the rest of each output line that begins with {@code start}. Must be called on the thread that calls {@link #await}. */
  public List<String> printed(String start) {
    return Stream.concat(awaited.stream(), lines.stream()).filter(line -> line.startsWith(start))
      .map(line -> line.substring(start.length()).strip()).toList();
  }

  public void send(String line) throws IOException {
    process.getOutputStream().write((line + "\n").getBytes());
    process.getOutputStream().flush();
  }

  public void signal(String name) throws IOException, InterruptedException {
    Signals.send(process.pid(), name);
  }

  public void kill() {
    process.destroyForcibly();
  }

  public int waitFor() throws InterruptedException {
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("the child process did not end; it printed " + lines);
    }
    // The wait is limited, because a process that the child started may hold the output open.
    reader.join(TimeUnit.SECONDS.toMillis(OUTPUT_SECONDS));
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void read() {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
      in.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add("its output was closed: " + e.getMessage());
    }
  }

  /**
   * Returns whether a process has ended. Zombies count as ended, because process 1 of many containers never reads the status of its
   * children; proc_pid_stat(5).
   */
  public static boolean hasEnded(ProcessHandle process) {
    try {
      String status = Files.readString(Path.of("/proc", Long.toString(process.pid()), "stat"));
      return !process.isAlive() || status.startsWith(") Z", status.lastIndexOf(')'));
    } catch (IOException e) {
      return !process.isAlive();
    }
  }
}
