package io.github.vertxrdma.demo;

import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;

/** A shell that follows a transcript from the docs: lines with a dollar are entered, and all others have to appear. */
final class Terminal implements AutoCloseable {
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(120);

  private final Process shell;
  private final Writer input;
  private final List<String> output = new ArrayList<>();
  private boolean ended;
  private int entered;

  Terminal(Path folder, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("bash", "--norc", "--noprofile", "-m").directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().putAll(environment);
    shell = builder.start();
    input = shell.outputWriter(StandardCharsets.UTF_8);
    Thread.ofPlatform().daemon().start(this::read);
  }

  private void read() {
    try (BufferedReader lines = shell.inputReader(StandardCharsets.UTF_8)) {
      for (String line; (line = lines.readLine()) != null;) {
        add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      synchronized (output) {
        ended = true;
        output.notifyAll();
      }
    }
  }

  private void add(String line) {
    synchronized (output) {
      output.add(line);
      output.notifyAll();
    }
  }

  /** Each command has to print its lines in any order, and to succeed unless it runs in the background. */
  void follow(String transcript) throws Exception {
    List<String> lines = transcript.lines().filter(line -> !line.isBlank()).toList();
    for (int i = 0; i < lines.size();) {
      String command = lines.get(i++).substring("$ ".length());
      int from = size();
      String end = "status " + ++entered + " of ";
      enter(command + "\necho \"" + end + "$?\"\n");
      for (; i < lines.size() && !lines.get(i).startsWith("$ "); i++) {
        await(command, lines.get(i), from);
      }
      await(command, end + "0", from);
    }
  }

  private void enter(String text) throws IOException {
    input.write(text);
    input.flush();
  }

  private int size() {
    synchronized (output) {
      return output.size();
    }
  }

  /** Waits for a line of output, in which an ellipsis stands for any text. */
  private void await(String command, String line, int from) throws InterruptedException {
    Pattern pattern = Pattern.compile("\\Q" + line.replace("…", "\\E.*\\Q") + "\\E");
    long deadline = System.nanoTime() + WAIT_NANOS;
    synchronized (output) {
      while (output.stream().skip(from).noneMatch(each -> pattern.matcher(each).find())) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        boolean failed = output.stream().skip(from).anyMatch(each -> each.matches(".*status " + entered + " of [1-9]\\d*"));
        if (left <= 0 || ended || failed) {
          Assumptions.assumeTrue(output.stream().noneMatch(each -> each.contains("Could not transfer artifact")),
            "Maven cannot fetch its plugins here");
          throw new AssertionError(
            "'" + command + "' did not print '" + line + "' but\n" + String.join("\n", output.subList(from, output.size())));
        }
        output.wait(left);
      }
    }
  }

  @Override
  public void close() throws Exception {
    List<ProcessHandle> all = new ArrayList<>(shell.descendants().toList());
    all.add(shell.toHandle());
    all.forEach(ProcessHandle::destroyForcibly);
    Await.until("all processes end", () -> all.stream().allMatch(ChildJvm::hasEnded));
  }
}
