package io.github.vertxrdma.perf;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** {@code java -cp … io.github.vertxrdma.perf.Main MODE [OPTION…]}. */
public final class Main {
  private Main() {
  }

  /** Ends the process: 0 success, 1 failure, 2 wrong use. */
  public static void main(String[] arguments) {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    int status = run(List.of(arguments), out);
    out.flush();
    System.exit(status);
  }

  static int run(List<String> arguments, PrintStream out) {
    try {
      List<String> rest = arguments.isEmpty() ? arguments : arguments.subList(1, arguments.size());
      switch (arguments.isEmpty() ? "" : arguments.getFirst()) {
        case "report" -> Report.run(rest, out);
        case "sweep" -> Sweep.run(rest, out);
        case "idle" -> Idle.run(rest, out);
        default -> new PerfCommand(PerfArguments.parseAll(arguments), out).run();
      }
      return 0;
    } catch (UsageException e) {
      System.err.println("rdma perf: " + e.getMessage());
      return 2;
    } catch (Exception e) {
      System.err.println("rdma perf: " + (e.getMessage() == null ? e : e.getMessage()));
      if (Boolean.getBoolean("perf.verbose")) {
        e.printStackTrace();
      }
      return 1;
    }
  }
}
