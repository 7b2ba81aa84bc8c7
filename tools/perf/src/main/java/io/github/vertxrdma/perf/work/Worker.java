package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;

/** The main class of a pair's processes: takes commands as lines of JSON and answers each with a line that begins with {@value #MARK}. */
public final class Worker {
  /** Tells answers from what else a process prints. */
  public static final String MARK = "@perf ";

  private final Setup setup;
  private Workload workload;

  private Worker(Setup setup) {
    this.setup = setup;
  }

  /** @param arguments the setup as JSON */
  public static void main(String[] arguments) throws Exception {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    ParentInput in = new ParentInput();
    Worker worker = new Worker(Setup.of(new JsonObject(arguments[0])));
    // The end of the input is the end of the pair.
    for (String line = in.next(); line != null; line = in.next()) {
      JsonObject answer;
      try {
        answer = worker.command(new JsonObject(line));
      } catch (Throwable e) {
        answer = new JsonObject().put("failure", String.valueOf(e.getMessage() == null ? e : e.getMessage()));
        if (Boolean.getBoolean("perf.verbose")) {
          e.printStackTrace();
        }
      }
      out.println(MARK + answer.encode());
    }
    worker.end();
    Runtime.getRuntime().halt(0);
  }

  /** Shared memory that is not closed would outlive the process. Whoever waits for its end kills it if this takes too long. */
  private void end() {
    try {
      if (workload != null) {
        workload.close();
      }
    } catch (Exception e) {
      System.err.println("closing failed: " + e);
    }
  }

  private JsonObject command(JsonObject command) throws Exception {
    switch (command.getString("do")) {
      case "serve" -> {
        workload = Workloads.create(setup);
        return new JsonObject().put("server", workload.serve());
      }
      case "connect" -> {
        workload = Workloads.create(setup);
        workload.connect(command.getJsonObject("server"));
        return new JsonObject();
      }
      case "run" -> {
        return workload.run(command.getInteger("size"), command.getLong("nanos")).toJson();
      }
      case "heap" -> {
        return new JsonObject().put("heap", Heap.used());
      }
      case "compiled" -> {
        return new JsonObject().put("millis", ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      }
      case "close" -> {
        workload.close();
        return new JsonObject();
      }
      default -> throw new IllegalArgumentException(command.encode());
    }
  }
}
