package io.github.vertxrdma.perf.work;

import io.vertx.core.json.JsonObject;
import java.lang.management.ManagementFactory;

/** Main class of both processes of a measurement. Reads commands as JSON lines. */
public final class PerfWorker {
  private final Setup setup;
  private Workload workload;

  private PerfWorker(Setup setup) {
    this.setup = setup;
  }

  public static void main(String[] arguments) throws Exception {
    WorkerAnswers answers = new WorkerAnswers();
    PerfWorker worker = new PerfWorker(Setup.of(new JsonObject(arguments[0])));
    answers.give(line -> worker.command(new JsonObject(line)));
    worker.end();
    Runtime.getRuntime().halt(0);
  }

  /** Closes the workload, because shared memory would outlive the process. The parent kills the process if the close takes too long. */
  private void end() {
    try {
      if (workload != null) {
        workload.close();
      }
    } catch (Exception e) {
      System.err.println("cannot close the workload of the measurement: " + e);
    }
  }

  private JsonObject command(JsonObject command) throws Exception {
    switch (command.getString("do")) {
      case "serve" -> {
        workload = Workload.of(setup);
        workload.serve();
        return new JsonObject();
      }
      case "await" -> {
        ((End) workload).awaitClient();
        return new JsonObject();
      }
      case "connect" -> {
        workload = Workload.of(setup);
        workload.connect();
        return new JsonObject();
      }
      case "run" -> {
        if (workload instanceof End end) {
          end.everyMillis = command.getLong("every", 0L);
        }
        return workload.run(command.getInteger("size"), command.getLong("nanos")).toJson();
      }
      case "compiled" -> {
        return new JsonObject().put("millis", ManagementFactory.getCompilationMXBean().getTotalCompilationTime());
      }
      default -> throw new IllegalArgumentException(command.encode());
    }
  }
}
