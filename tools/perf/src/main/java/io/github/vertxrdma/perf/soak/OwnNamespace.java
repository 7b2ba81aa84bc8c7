package io.github.vertxrdma.perf.soak;

import io.github.vertxrdma.perf.ChildProcess;
import io.github.vertxrdma.perf.PerfException;
import io.github.vertxrdma.perf.SkippedException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Kernel namespace that other processes can join, until this object is closed. */
abstract class OwnNamespace implements AutoCloseable {
  private static final int SECONDS = 20;
  private static final String MADE = "made";

  private final ChildProcess holder;
  private final String[] kinds;

  /**
   * @param around prefix of the command that creates the namespace
   * @param script shell script that prepares the namespace
   * @param needed requirements that are usually missing if the script fails
   * @param kinds options of nsenter(1)
   */
  OwnNamespace(List<String> around, String script, String needed, String... kinds) throws SkippedException, InterruptedException {
    this.kinds = kinds;
    List<String> command = new ArrayList<>(around);
    command.addAll(List.of("sh", "-c", script + " && echo " + MADE + " && exec cat"));
    try {
      holder = new ChildProcess("namespace", command, MADE::equals);
    } catch (IOException e) {
      throw new SkippedException("unshare(1) is not installed");
    }
    try {
      holder.answer(SECONDS);
    } catch (PerfException e) {
      holder.close();
      throw new SkippedException("it needs " + needed + ": " + e.getMessage());
    }
  }

  final long pid() {
    return holder.pid();
  }

  final List<String> joined() {
    List<String> command = new ArrayList<>(List.of("nsenter", "-t", String.valueOf(pid())));
    command.addAll(List.of(kinds));
    return command;
  }

  @Override
  public final void close() {
    holder.close();
  }

  /** A tmpfs of 32 MiB that only processes in its namespace see. */
  static final class SmallDisk extends OwnNamespace {
    private static final int BLOCK = 4096;

    private final Path folder;

    SmallDisk(Path folder) throws SkippedException, InterruptedException {
      super(List.of("unshare", "-m"), "mount -t tmpfs -o size=32m,mode=700 tmpfs " + folder, "root and unshare(1)", "-m", "-w");
      this.folder = folder;
    }

    /** Returns the path of the folder for a process outside of the namespace. */
    Path seen() {
      return Path.of("/proc/" + pid() + "/root" + folder);
    }

    /** Fills the disk completely, and returns the file. */
    Path fill() throws IOException {
      Path filler = seen().resolve("filler");
      try (OutputStream out = Files.newOutputStream(filler)) {
        while (true) {
          out.write(new byte[BLOCK]);
        }
      } catch (IOException e) {
        return filler;
      }
    }
  }

  /**
   * A loopback network with the faults of tc-netem(8), for processes that join its namespace. In an emulated machine it is the machine's
   * network, because siw and rxe exist only there.
   */
  static final class LossyNetwork extends OwnNamespace {
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
      ChildProcess.output(command);
    }
  }
}
