package io.github.vertxrdma.cli;

import io.github.vertxrdma.PingOptions;
import io.github.vertxrdma.PingReport;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.commands.Ping;
import io.github.vertxrdma.commands.Printable;
import io.github.vertxrdma.commands.UsageException;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.process.RecordJson;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

final class PingCommand {
  /** Time to wait for entries that appear while the directory opens, in milliseconds. */
  private static final int LOOKUP_MILLIS = 500;
  /** Maximum time until one answer, in seconds. */
  private static final long ANSWER_SECONDS = 5;

  private final PrintStream out;

  PingCommand(PrintStream out) {
    this.out = out;
  }

  /** @return 0 if every peer answered over some fabric, otherwise 1 */
  int run(Ping command) {
    try (Membership node = Membership.join(command.membership)) {
      List<PingReport> reports = ask(node, command.name, new PingOptions().setCount(command.count).setSize(command.size)
        .setFabric(command.fabric).setLookupTimeout(Duration.ofMillis(LOOKUP_MILLIS)), command.json);
      if (reports.isEmpty() && command.fabric != null) {
        if (command.json) {
          out.println(json(List.of(), List.of()));
        }
        throw new CommandException("this side has no device or fabric '" + command.fabric + "'; ./rdma info lists those that it has");
      }
      List<PeerPorts.Port> ports = ports(node, reports);
      out.print(command.json ? json(reports, ports) + "\n" : text(command.name, reports, ports, command.count, command.size));
      boolean all = !reports.isEmpty() && reports.stream().map(PingReport::nodeId).distinct()
        .allMatch(id -> reports.stream().anyMatch(r -> r.nodeId().equals(id) && r.failure().isEmpty()));
      return all ? 0 : 1;
    } catch (IllegalArgumentException e) {
      throw new UsageException(e.getMessage());
    }
  }

  /** @param json whether to print empty lists if no node has the name */
  private List<PingReport> ask(Membership node, String name, PingOptions options, boolean json) {
    try {
      return Membership.await(node.rdma.ping(name, options), Membership.PATIENCE_SECONDS + ANSWER_SECONDS * options.getCount());
    } catch (CommandException e) {
      if (e.getCause() instanceof RdmaException cause && cause.reason() == RdmaException.Reason.NOT_FOUND) {
        if (json) {
          out.println(json(List.of(), List.of()));
        }
        throw new CommandException(e.getMessage() + "; " + node.place, cause);
      }
      throw e;
    }
  }

  private static List<PeerPorts.Port> ports(Membership node, List<PingReport> reports) {
    RdmaDirectory directory = Membership.await(node.rdma.directory());
    Set<String> sockets = Provider.all().stream().flatMap(provider -> provider.discover(new DiscoveryOptions()).devices().stream())
      .filter(device -> device.capabilities().kernelSocket()).map(Device::fabric).collect(Collectors.toSet());
    return reports.stream().map(PingReport::nodeId).distinct().flatMap(id -> directory.node(id).stream())
      .flatMap(peer -> PeerPorts.of(directory.self(), peer, directory.services(), sockets).stream()).toList();
  }

  private static String json(List<PingReport> reports, List<PeerPorts.Port> ports) {
    JsonArray all = new JsonArray();
    reports.forEach(report -> all.add(RecordJson.of(report)));
    JsonArray tcp = new JsonArray();
    ports.forEach(port -> tcp.add(new JsonObject().put("nodeId", port.nodeId()).put("use", port.use()).put("address", port.address())
      .put("answer", port.answer())));
    return new JsonObject().put("reports", all).put("ports", tcp).encodePrettily();
  }

  private static String text(String name, List<PingReport> reports, List<PeerPorts.Port> ports, int count, int size) {
    StringBuilder text = new StringBuilder();
    for (String node : reports.stream().map(PingReport::nodeId).distinct().toList()) {
      text.append(text.isEmpty() ? "" : "\n").append(name).append(": node ").append(Printable.of(node)).append(", ").append(count)
        .append(" messages of ").append(size).append(" bytes there and back\n\n");
      Table table = new Table("OVER", "ANSWERS", "MIN", "AVG", "P50", "P99", "MAX", "");
      for (PingReport report : reports) {
        if (report.nodeId().equals(node)) {
          double average = report.nanos().stream().mapToLong(Long::longValue).average().orElse(-1);
          table.row(report.device(), report.nanos().isEmpty() ? "none" : Integer.toString(report.nanos().size()),
            micros(report.percentile(0)), micros(average), micros(report.percentile(50)), micros(report.percentile(99)),
            micros(report.percentile(100)), report.failure());
        }
      }
      text.append(table);
      Table reached = new Table("TCP PORT", "ADDRESS", "FROM HERE");
      ports.stream().filter(port -> port.nodeId().equals(node)).forEach(port -> reached.row(port.use(), port.address(), port.answer()));
      text.append('\n').append(reached);
    }
    return text.toString();
  }

  private static String micros(double nanos) {
    return nanos < 0 ? "-" : String.format(Locale.ROOT, "%.1f µs", nanos / 1000);
  }
}
