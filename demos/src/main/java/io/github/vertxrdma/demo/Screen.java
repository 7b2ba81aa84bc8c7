package io.github.vertxrdma.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Output for the person: the nodes' lines, and their progress as bars on a terminal, else as a line a second. Any thread. */
final class Screen {
  private static final int WIDTH = 20;

  private final boolean terminal;
  private final Map<String, Progress> progress = new TreeMap<>();
  private final Map<String, Long> printed = new TreeMap<>();
  private boolean barShown;

  static Screen create() {
    return new Screen(System.console() != null && System.console().isTerminal());
  }

  private Screen(boolean terminal) {
    this.terminal = terminal;
  }

  /** Shows a node's output until it ends. @param heard hears each line after it was shown */
  void show(String node, InputStream output, Consumer<String> heard) {
    try (BufferedReader reader = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
      for (String line; (line = reader.readLine()) != null;) {
        Progress reported = Progress.parse(line);
        if (reported == null) {
          line(node + " | " + line);
          heard.accept(line);
        } else {
          report(node, reported);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  synchronized void line(String text) {
    if (barShown) {
      System.out.print("\r\033[K");
      barShown = false;
    }
    System.out.println(text);
    System.out.flush();
  }

  private synchronized void report(String node, Progress reported) {
    progress.put(node, reported);
    if (terminal) {
      System.out.print('\r' + progress.entrySet().stream().map(e -> e.getKey() + ' ' + bar(e.getValue())).collect(Collectors.joining("   "))
        + "\033[K");
      System.out.flush();
      barShown = true;
      if (progress.values().stream().allMatch(p -> p.percent() == 100)) {
        System.out.println();
        barShown = false;
      }
    } else {
      long now = System.nanoTime();
      if (reported.percent() == 100 || now - printed.getOrDefault(node, now - 2_000_000_000L) >= 1_000_000_000L) {
        printed.put(node, now);
        line(node + " | " + reported.percent() + " %");
      }
    }
  }

  private static String bar(Progress p) {
    int full = p.percent() * WIDTH / 100;
    return '[' + "#".repeat(full) + " ".repeat(WIDTH - full) + ']' + String.format(" %3d %% %7.1f MiB/s", p.percent(), p.rate());
  }
}
