package io.github.vertxrdma.perf.work;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Reads lines of standard input. Halts this process 3 s after the end of the input, even if it is busy. */
public final class ParentInput {
  private static final String END = "\u0000";
  private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  public ParentInput() {
    Thread reader = new Thread(this::read, "standard input");
    reader.setDaemon(true);
    reader.start();
  }

  private void read() {
    try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
      }
    } catch (IOException e) {
      // A failed input is treated as ended.
    }
    lines.add(END);
    try {
      Thread.sleep(GRACE_MILLIS);
    } catch (InterruptedException e) {
      // Halts without the rest of the pause.
    }
    Runtime.getRuntime().halt(1);
  }

  public String next() throws InterruptedException {
    String line = lines.take();
    return line.equals(END) ? null : line;
  }
}
