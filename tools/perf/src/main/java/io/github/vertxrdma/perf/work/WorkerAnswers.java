package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Answers of a process to its parent: one of JSON when it is ready, and one for each line of its input. They begin with {@value #MARK}. */
public final class WorkerAnswers {
  /** Distinguishes answers from other output of a process. */
  public static final String MARK = "@perf ";
  /** Field with the error in the answer to a failed command. */
  public static final String FAILURE = "failure";
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private WorkerAnswers() {
  }

  /** Answers a line. */
  public interface Answering {
    JsonObject answer(String line) throws Exception;
  }

  /** Reports that it is ready, and answers until the input ends. */
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
