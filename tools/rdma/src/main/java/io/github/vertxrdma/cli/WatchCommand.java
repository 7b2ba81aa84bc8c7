package io.github.vertxrdma.cli;

import io.github.vertxrdma.cli.machine.Machine;
import io.github.vertxrdma.cli.machine.RdmaPort;
import io.github.vertxrdma.commands.Printable;
import io.github.vertxrdma.commands.Watch;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryEvent;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.json.JsonObject;
import java.io.PrintStream;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

final class WatchCommand {
  private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final Machine machine;
  private final PrintStream out;
  private boolean json;

  WatchCommand(Machine machine, PrintStream out) {
    this.machine = machine;
    this.out = out;
  }

  int run(Watch command) {
    json = command.json;
    int seconds = command.seconds;
    Map<String, String> ports = ports();
    ports.forEach((port, state) -> say("port", port, state));
    try (Membership node = Membership.join(command.membership)) {
      RdmaDirectory directory = Membership.await(node.rdma.directory());
      if (!json) {
        say("watch", directory.type() + " directory", "from now on, until " + (seconds == 0 ? "Ctrl-C" : seconds + " s have passed"));
      }
      DirectoryWatch watch = directory.watch(event -> {
        if (!event.entry().nodeId().equals(directory.nodeId())) {
          report(event);
        }
      });
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
      while (!Thread.interrupted() && !out.checkError() && (seconds == 0 || System.nanoTime() - end < 0)) {
        LockSupport.parkNanos(PERIOD_NANOS);
        Map<String, String> now = ports();
        compare(ports, now);
        ports = now;
      }
      watch.close();
    }
    return 0;
  }

  void report(DirectoryEvent event) {
    DirectoryEntry entry = event.entry();
    String what = switch (event.type()) {
      case ADDED -> "added";
      case CHANGED -> "changed";
      case REMOVED -> "removed";
    };
    switch (entry) {
      case NodeEntry node -> say("node", node.words(), what + ", pid " + node.process().pid() + " on " + node.process().host());
      case ServiceEntry service -> say("service", service.name(), what + " by node " + service.nodeId() + " on "
        + String.join(", ", service.addresses().stream().map(a -> a.device()).distinct().toList()));
      case RegionEntry region -> say("region", region.name(), what + " by node " + region.nodeId() + ", " + Sizes.format(region.size()));
    }
  }

  private Map<String, String> ports() {
    Map<String, String> ports = new TreeMap<>();
    for (RdmaPort port : RdmaPort.all(machine)) {
      String counters = port.folder() + "/counters/link_downed";
      ports.put(port.toString(), "state " + port.state()
        + machine.read(counters).map(downs -> ", was down " + downs + " times").orElse(""));
    }
    return ports;
  }

  private void compare(Map<String, String> before, Map<String, String> now) {
    now.forEach((port, state) -> {
      if (!state.equals(before.get(port))) {
        say("port", port, before.containsKey(port) ? state : "added, " + state);
      }
    });
    before.keySet().stream().filter(port -> !now.containsKey(port)).forEach(port -> say("port", port, "removed"));
  }

  private synchronized void say(String kind, String name, String what) {
    LocalTime time = LocalTime.now().truncatedTo(ChronoUnit.MILLIS);
    out.println(json ? new JsonObject().put("time", time.toString()).put("kind", kind).put("name", name).put("what", what).encode()
      : Printable.of(String.format("%-12s  %-8s  %s  %s", time, kind, name, what)));
    out.flush();
  }
}
