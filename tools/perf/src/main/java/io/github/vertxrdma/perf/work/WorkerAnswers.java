package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Answers of a process to its parent: one when it is ready, and one for each line of its standard input. Halts this process 3 s after the
 * end of the input, even if it is busy.
 */
public final class WorkerAnswers {
  /** Prefix of the lines of a process that are answers. */
  public static final String MARK = "@perf ";
  public static final String FAILURE = "failure";
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private static final String END = "\u0000";
  private static final long GRACE_MILLIS = TimeUnit.SECONDS.toMillis(3);

  private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

  /** Starts to read the input. */
  public WorkerAnswers() {
    Thread reader = new Thread(this::read, "standard input");
    reader.setDaemon(true);
    reader.start();
  }

  public interface Answering {
    JsonObject answer(String line) throws Exception;
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

  public void give(Answering to) throws InterruptedException {
    say(new JsonObject());
    for (String line = lines.take(); !line.equals(END); line = lines.take()) {
      JsonObject answer;
      try {
        answer = to.answer(line);
      } catch (Throwable e) {
        answer = new JsonObject().put(FAILURE, String.valueOf(e.getMessage() == null ? e : e.getMessage()));
        if (Boolean.getBoolean("perf.verbose")) {
          e.printStackTrace();
        }
      }
      say(answer);
    }
  }

  private static void say(JsonObject answer) {
    OUT.println(MARK + answer.encode());
  }
}
