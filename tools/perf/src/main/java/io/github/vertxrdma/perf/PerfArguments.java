package io.github.vertxrdma.perf;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.commands.Commands;
import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.commands.UsageException;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Command line of a measurement.
 *
 * @param kind null if the mode has one kind
 * @param sizes bytes of an operation, one row each
 * @param connections number of concurrent connections; for functions, of workers
 * @param every milliseconds between two starts of an operation on a connection; 0 to start one when another has ended
 * @param runs number of runs; the run with the median ratio is the result
 * @param seconds duration of one run
 * @param warmUp seconds before the first run
 * @param options of vertx-rdma nodes and of messages, and the address of a server on another host
 * @param worker how workers of functions wait; null for other modes
 * @param work microseconds that a function computes
 */
record PerfArguments(Mode mode, String kind, List<Integer> sizes, List<String> fabrics, int connections, int window, int every, String poll,
  List<String> against, int runs, double seconds, double warmUp, boolean json, boolean restart, JsonObject options, String worker, int work,
  PairPlacement placement) {
  private static final List<String> MESSAGE_OPTIONS = List.of("zeroCopy", "touch", "apart");

  List<String> messageOptions() {
    return MESSAGE_OPTIONS.stream().filter(name -> options.getBoolean(name, false)).toList();
  }

  boolean touch() {
    return messageOptions().contains("touch");
  }

  String workload() {
    return switch (mode) {
      case PING -> Mode.LATENCY.word();
      case START -> kind.equals(Mode.IDLE) ? Mode.BUS.word() : Mode.START.word();
      default -> kind == null ? mode.word() : kind;
    };
  }

  String words() {
    return kind == null ? mode.word() : mode + " " + kind;
  }

  static Perf command(List<String> arguments) {
    return (Perf) Commands.parse(Stream.concat(Stream.of("perf"), arguments.stream()).toArray(String[]::new));
  }

  /** @throws UsageException if a node has no such option */
  static List<PerfArguments> of(Perf perf, int runs, double seconds) {
    JsonObject options = new JsonObject();
    perf.options.forEach((name, value) -> option(options, name, value));
    Map.of("zeroCopy", perf.zeroCopy, "touch", perf.touch, "apart", perf.apart).forEach((name, asked) -> {
      if (asked) {
        options.put(name, true);
      }
    });
    if (perf.to != null) {
      options.put("to", perf.to);
    } else if (perf.serve != null) {
      options.put("serve", perf.serve);
    }
    boolean functions = Mode.FUNCTION.equals(perf.kind);
    List<PerfArguments> all = new ArrayList<>();
    for (String worker : perf.workers.isEmpty() ? List.of("hot") : perf.workers) {
      for (int count : perf.connections(1)) {
        all.add(new PerfArguments(perf.mode, perf.kind, perf.sizes(), perf.fabrics, count, perf.window, perf.every, perf.poll, perf.against,
          perf.runs == null ? runs : perf.runs, perf.seconds == null ? seconds : perf.seconds, perf.warmUp, perf.json, perf.restart,
          options, functions ? worker : null, perf.work, new PairPlacement(perf.pinned, perf.loops(functions ? count : 1))));
      }
    }
    return all;
  }

  private static void option(JsonObject options, String name, String value) {
    options.put(name,
      value.matches("-?\\d{1,9}") ? (Object) Integer.valueOf(value) : value.matches("true|false") ? Boolean.valueOf(value) : value);
    if (!name.equals("spin")) {
      try {
        new RdmaOptions(new JsonObject().put(name, options.getValue(name)));
      } catch (IllegalArgumentException e) {
        throw new UsageException("--option: " + e.getMessage());
      }
    }
  }
}
