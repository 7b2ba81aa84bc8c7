package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.perf.PairPlacement.Pinning;
import io.github.vertxrdma.perf.work.Sample;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Runs the same workload in C over libfabric or verbs. Each run starts two processes. */
final class TwinContender implements Contender {
  private static final Set<Mode> MODES = EnumSet.of(Mode.LATENCY, Mode.RATE, Mode.REGIONS);
  private static final Set<String> FABRICS = Set.of("tcp", "rxm", "shm");
  private static final CSource LIBFABRIC = new CSource("twin", "-lfabric");
  private static final CSource VERBS = new CSource("verbs_twin", "-lrdmacm", "-libverbs");

  private final String fabric;
  private final PairPlacement placement;
  private final String program;
  private final List<String> work = new ArrayList<>();

  /** @throws SkippedException if there is no such program, or it cannot be compiled here */
  TwinContender(PerfArguments arguments, String fabric) throws SkippedException {
    // vertx-rdma's shm is compared with libfabric's shm.
    this.fabric = fabric;
    this.placement = arguments.placement();
    boolean verbs = DeviceInUserSpace.isNamedBy(fabric);
    if (verbs && DeviceInUserSpace.missing() != null || !verbs && !FABRICS.contains(fabric)) {
      throw new SkippedException(verbs ? DeviceInUserSpace.missing() : "no benchmark in C supports " + fabric
        + (fabric.startsWith("verbs:") ? ". tests/adapters/run compares with perftest" : ""));
    }
    if (!MODES.contains(arguments.mode()) || arguments.window() > 1 || arguments.connections() > 1
      || arguments.workload().equals("atomic") && fabric.equals("tcp")) {
      throw new SkippedException(
        "the benchmark in C measures messages, reads, writes and, except over tcp, atomics, with one connection and one operation at "
          + "a time");
    }
    if (verbs && arguments.touch()) {
      throw new SkippedException("the benchmark in C over verbs does not read the bytes; use --touch over tcp, rxm or shm");
    }
    program = (verbs ? VERBS : LIBFABRIC).compiled().toString();
    if (!verbs) {
      work.add(fabric);
    }
    work.add(arguments.touch() ? "touch" : arguments.workload().equals("notify") ? "latency" : arguments.workload());
  }

  @Override
  public String name() {
    return "c";
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    try (ChildProcess server = new ChildProcess("the server in C", placement.command(Pinning.SERVER, command("server", size)),
      line -> line.startsWith("ready ") || line.startsWith("used "))) {
      List<String> arguments = command("client", size);
      arguments.add(Long.toString(TimeUnit.NANOSECONDS.toMillis(nanos)));
      arguments.addAll(List.of(server.answer(20).substring(6).split(" ")));
      try (ChildProcess client = new ChildProcess("the client in C", placement.command(Pinning.CLIENT, arguments),
        line -> line.startsWith("result "))) {
        String[] result = client.answer(30 + TimeUnit.NANOSECONDS.toSeconds(nanos) * 4).split(" ");
        double rate = Double.parseDouble(result[4]);
        double used = Double.parseDouble(result[5]) + Double.parseDouble(server.answer(20).split(" ")[1]);
        return new Sample(percentile(result[1]), percentile(result[2]), percentile(result[3]), rate, rate * size / (1 << 20),
          used * 1e9 / Math.max(1, rate * nanos));
      }
    }
  }

  /** Returns NaN for a negative number, which means that the percentile was not measured. */
  private static double percentile(String word) {
    double value = Double.parseDouble(word);
    return value < 0 ? Double.NaN : value;
  }

  private List<String> command(String end, int size) {
    List<String> command = new ArrayList<>(List.of(program, end));
    command.addAll(work);
    command.add(Integer.toString(Math.max(1, size)));
    return new ArrayList<>(DeviceInUserSpace.command(fabric, command));
  }
}
