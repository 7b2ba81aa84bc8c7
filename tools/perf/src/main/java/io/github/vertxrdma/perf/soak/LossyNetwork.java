package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.Programs;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A loopback network with the faults of tc-netem(8), for processes that join its namespace. In an emulated machine it is the machine's
 * network, because siw and rxe exist only there.
 */
final class LossyNetwork extends OwnNamespace {
  private static final List<String> NETEM = List.of("tc", "qdisc", "replace", "dev", "lo", "root", "netem");
  private static final List<String> NONE = List.of("tc", "qdisc", "delete", "dev", "lo", "root");
  /** Set in the emulated machine, see tests/soft-rdma. */
  private static final boolean IS_EMULATED = System.getenv("SOFT_RDMA") != null;

  private LossyNetwork() throws SkippedException, InterruptedException {
    super(IS_EMULATED ? List.of() : List.of("unshare", "--net"), "ip link set lo up && " + String.join(" ", NETEM) + " && "
      + String.join(" ", NONE), "root, unshare(1), tc(8), and a kernel with netem", "-n");
  }

  /** @throws SkippedException if the network cannot be created, or the fabric cannot use it */
  static LossyNetwork forFabric(String fabric) throws SkippedException, InterruptedException {
    if (fabric.startsWith("verbs") && !IS_EMULATED) {
      throw new SkippedException("packets of this fabric's kernel device do not pass the network namespace of this run");
    }
    return new LossyNetwork();
  }

  void begin(int millis) throws IOException {
    run(NETEM, List.of("delay", millis + "ms", millis + "ms", "loss", "5%", "duplicate", "5%", "reorder", "75%"));
  }

  void end() throws IOException {
    run(NONE, List.of());
  }

  private void run(List<String> program, List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>(joined());
    command.addAll(program);
    command.addAll(arguments);
    Programs.output(command);
  }
}
