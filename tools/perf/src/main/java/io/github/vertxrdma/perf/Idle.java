package io.github.vertxrdma.perf;

import io.github.vertxrdma.perf.work.Sample;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;

/**
 * What an idle connection takes of the heap, where it was accepted and where it was opened: the growth of the heap with so many of them,
 * beside that of a provider's bare endpoints, measured in the same way.
 */
final class Idle {
  private static final String LINE = "%-6s %6s %10s %10s %10s %10s %10s %10s %10s%n";

  /** Bytes for one connection at each end, and how many were opened in a second. */
  private record Cost(double accepted, double opened, double rate) {
  }

  private Idle() {
  }

  static void run(PerfArguments parsed, PrintStream out) throws Exception {
    Lines lines = new Lines(parsed.form(), out);
    Progress progress = new Progress();
    if (lines.areForPeople()) {
      out.println("# " + parsed.around().onThisMachine());
      out.println("# bytes of heap for each of so many idle connections, where they were accepted and where they were opened");
      out.printf(LINE, "over", "conns", "per s", "accepted", "opened", "provider", "provider", "ours", "ours");
    }
    for (String fabric : parsed.fabrics()) {
      progress.accept(fabric + ": connections");
      Cost whole = cost(Contenders.idle("rdma", parsed, fabric), parsed.connections());
      progress.accept(fabric + ": endpoints of the provider");
      Cost provider = cost(Contenders.idle("spi", parsed, fabric), parsed.connections());
      progress.clear();
      if (!lines.areForPeople()) {
        lines.row(new JsonObject().put("mode", "idle").put("fabric", fabric).put("connections", parsed.connections())
          .put("opened_per_s", Math.round(whole.rate)).put("accepted_bytes", Math.round(whole.accepted))
          .put("opened_bytes", Math.round(whole.opened)).put("provider_accepted_bytes", Math.round(provider.accepted))
          .put("provider_opened_bytes", Math.round(provider.opened)));
      } else {
        out.printf(Locale.ROOT, LINE, fabric, parsed.connections(), Table.text(whole.rate), Table.text(whole.accepted),
          Table.text(whole.opened), Table.text(provider.accepted), Table.text(provider.opened),
          Table.text(whole.accepted - provider.accepted), Table.text(whole.opened - provider.opened));
      }
    }
  }

  private static Cost cost(JvmContender pair, int connections) throws Exception {
    try (pair) {
      List<Long> before = pair.heap();
      Sample sample = pair.run(0, 0);
      List<Long> after = pair.heap();
      return new Cost((double) (after.get(0) - before.get(0)) / connections, (double) (after.get(1) - before.get(1)) / connections,
        sample.messages());
    }
  }
}
