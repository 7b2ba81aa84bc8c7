package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.commands.Soak;
import io.github.vertxrdma.perf.soak.SoakRun;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Main class: {@code perf MODE [OPTION…]}, or {@code soak [OPTION…]}. */
public final class PerfMain {
  private PerfMain() {
  }

  /** Exits with 0 for success, 1 for failure, 2 for wrong use. */
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    int status = run(List.of(arguments), out);
    out.flush();
    System.exit(status);
  }

  static int run(List<String> arguments, PrintStream out) {
    return Commands.run(arguments.toArray(String[]::new), command -> switch (command) {
      case Soak soak -> new SoakRun(soak, out).run();
      default -> measure((Perf) command, out);
    });
  }

  private static int measure(Perf perf, PrintStream out) throws Exception {
    OtherWork others = new OtherWork();
    try (BusyProcesses busy = new BusyProcesses(perf.busy)) {
      if (perf.report != null) {
        Report.run(perf, out);
      } else if (perf.mode == Mode.BUILDS) {
        new Builds(perf, out).run();
      } else if (perf.mode == Mode.PING) {
        PingMeasurement.run(PerfArguments.of(perf, 1, 20).getFirst(), out);
      } else if (Mode.IDLE.equals(perf.kind)) {
        Idle.run(PerfArguments.of(perf, 5, 5).getFirst(), out);
      } else if (perf.serve != null) {
        PerfArguments arguments = PerfArguments.of(perf, 1, 1).getFirst();
        try (JvmContender server = Contender.ours("server", arguments, perf.fabrics.getFirst())) {
          server.serve(() -> out.println("serving " + arguments.words() + " at " + perf.serve));
        }
      } else {
        PerfCommand.run(PerfArguments.of(perf, 5, 1), out);
      }
    }
    String warning = OtherWork.warning(others.cores());
    if (warning != null) {
      System.err.println("rdma perf: " + warning);
    }
    return 0;
  }
}
