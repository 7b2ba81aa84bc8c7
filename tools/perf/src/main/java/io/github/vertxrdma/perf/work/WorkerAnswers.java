package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Answers of a process to its parent: one when it is ready, and one for each line of its input. */
public final class WorkerAnswers {
  /** Prefix of the lines of a process that are answers. */
  public static final String MARK = "@perf ";
  public static final String FAILURE = "failure";
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private WorkerAnswers() {
  }

  public interface Answering {
    JsonObject answer(String line) throws Exception;
  }

  public static void give(ParentInput in, Answering to) throws InterruptedException {
    say(new JsonObject());
    for (String line = in.next(); line != null; line = in.next()) {
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

  static void say(JsonObject answer) {
    OUT.println(MARK + answer.encode());
  }
}
