package io.github.vertxrdma.cli;

import io.github.vertxrdma.PingOptions;
import io.github.vertxrdma.PingReport;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.Printable;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.impl.statistics.RecordJson;
import io.vertx.core.json.JsonArray;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** {@code ping}: whether a peer answers, over each fabric that reaches it, and how fast. */
final class PingCommand {
  /** A directory has read all that is there when it opens; this is for what comes at the same moment. */
  private static final int LOOKUP_MILLIS = 500;
  /** Time that the node itself waits for one answer. */
  private static final long ANSWER_SECONDS = 5;

  private final PrintStream out;

  PingCommand(PrintStream out) {
    this.out = out;
  }

  /** @return the status to exit with: 0 if every peer answered over some fabric, else 1 */
  int run(Ping command) {
    try (Membership node = Membership.join(command.membership)) {
      List<PingReport> reports = ask(node, command.name, new PingOptions().setCount(command.count).setSize(command.size)
        .setFabric(command.fabric).setLookupTimeout(Duration.ofMillis(LOOKUP_MILLIS)), command.json);
      if (reports.isEmpty() && command.fabric != null) {
        if (command.json) {
          out.println("[]");
        }
        throw new CommandException("this side has no device or fabric '" + command.fabric + "'; ./rdma info lists those that it has");
      }
      if (command.json) {
        JsonArray array = new JsonArray();
        reports.forEach(report -> array.add(RecordJson.of(report)));
        out.println(array.encodePrettily());
      } else {
        out.print(text(command.name, reports, command.count, command.size));
      }
      boolean all = !reports.isEmpty() && reports.stream().map(PingReport::nodeId).distinct()
        .allMatch(id -> reports.stream().anyMatch(r -> r.nodeId().equals(id) && r.failure().isEmpty()));
      return all ? 0 : 1;
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** @param json whether to print that there are no reports, too */
  private List<PingReport> ask(Membership node, String name, PingOptions options, boolean json) {
    try {
      return Membership.await(node.rdma().ping(name, options), Membership.PATIENCE_SECONDS + ANSWER_SECONDS * options.getCount());
    } catch (CommandException e) {
      if (e.getCause() instanceof RdmaException cause && cause.reason() == RdmaException.Reason.NOT_FOUND) {
        if (json) {
          out.println("[]");
        }
        throw new CommandException(e.getMessage() + "; " + node.place(), cause);
      }
      throw e;
    }
  }

  private static String text(String name, List<PingReport> reports, int count, int size) {
    StringBuilder text = new StringBuilder();
    String node = "";
    Table table = new Table("OVER", "ANSWERS", "MIN", "AVG", "P50", "P99", "MAX", "");
    for (PingReport report : reports) {
      if (!report.nodeId().equals(node)) {
        if (!node.isEmpty()) {
          text.append(table).append('\n');
          table = new Table("OVER", "ANSWERS", "MIN", "AVG", "P50", "P99", "MAX", "");
        }
        node = report.nodeId();
        text.append(name).append(": node ").append(Printable.of(node)).append(", ").append(count).append(" messages of ").append(size)
          .append(" bytes there and back\n\n");
      }
      double average = report.nanos().stream().mapToLong(Long::longValue).average().orElse(-1);
      table.row(report.device(), report.nanos().isEmpty() ? "none" : Integer.toString(report.nanos().size()), micros(report.percentile(0)),
        micros(average), micros(report.percentile(50)), micros(report.percentile(99)), micros(report.percentile(100)), report.failure());
    }
    return text.append(table).toString();
  }

  private static String micros(double nanos) {
    return nanos < 0 ? "-" : String.format(Locale.ROOT, "%.1f µs", nanos / 1000);
  }
}
