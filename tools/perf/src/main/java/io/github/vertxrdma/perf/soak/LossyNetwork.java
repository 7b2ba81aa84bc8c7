package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.PerfException;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A loopback network with the faults of tc-netem(8), for processes that join it. In the emulated machine it is the machine's network,
 * because siw and rxe exist in no other.
 */
final class LossyNetwork implements AutoCloseable {
  private static final int SECONDS = 20;
  private static final String MADE = "made";
  private static final List<String> NETEM = List.of("tc", "qdisc", "replace", "dev", "lo", "root", "netem");
  private static final List<String> NONE = List.of("tc", "qdisc", "delete", "dev", "lo", "root");
  /** Set in the emulated machine, see tests/soft-rdma. */
  private static final boolean IS_EMULATED = System.getenv("SOFT_RDMA") != null;

  private final ChildProcess holder;

  private LossyNetwork(ChildProcess holder) {
    this.holder = holder;
  }

  /** @throws SkippedException if it cannot be created, or the fabric's device could not be used there */
  static LossyNetwork forFabric(String fabric) throws SkippedException, InterruptedException {
    if (fabric.startsWith("verbs") && !IS_EMULATED) {
      throw new SkippedException("devices of the kernel are in no network of the processes' own");
    }
    List<String> command = new ArrayList<>(IS_EMULATED ? List.of() : List.of("unshare", "--net"));
    command
      .addAll(List.of("sh", "-c", "ip link set lo up && " + String.join(" ", NETEM) + " && " + String.join(" ", NONE) + " && echo " + MADE
        + " && exec cat"));
    try {
      ChildProcess holder = new ChildProcess("netem", command, MADE::equals);
      try {
        holder.answer(SECONDS);
        return new LossyNetwork(holder);
      } catch (PerfException e) {
        holder.close();
        throw new SkippedException("it takes root, unshare(1), tc(8), and a kernel with netem: " + e.getMessage());
      }
    } catch (IOException e) {
      throw new SkippedException("there is no unshare(1)");
    }
  }

  List<String> joined() {
    return List.of("nsenter", "-t", String.valueOf(holder.pid()), "-n");
  }

  void begin(int millis) throws IOException, InterruptedException {
    run(NETEM, List.of("delay", millis + "ms", millis + "ms", "loss", "5%", "duplicate", "5%", "reorder", "75%"));
  }

  void end() throws IOException, InterruptedException {
    run(NONE, List.of());
  }

  private void run(List<String> program, List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(joined());
    command.addAll(program);
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException("tc(8) says " + words.strip());
    }
  }

  @Override
  public void close() {
    holder.close();
  }
}
