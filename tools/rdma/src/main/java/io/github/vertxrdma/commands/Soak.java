package io.github.vertxrdma.commands;

import java.io.File;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "soak", header = "Runs random load and faults, and checks for losses and leaks.", description = {"",
  "Starts processes that connect, send messages, share and use regions, and call functions and contracts. In random order it"
    + " makes these faults. A process is stopped for a while, or is killed or closed and started again. Its network is cut, half open,"
    + " slow, or silent in one direction. Its clock is changed by up to two hours. Its memory allocations fail. The disk of"
    + " all processes is full. Packets of all processes are lost. Prints the completed work each minute, or in a shorter"
    + " run every 10 s. At the beginning it prints the faults that this machine does not support.",
  "",
  "TCP relays make the network faults. They carry all control connections, and about half of the message connections over nio and tcp."
    + " The full disk needs root and unshare(1); the clock needs a C compiler; the lack of memory needs prlimit(1); lost packets need"
    + " root, tc(8), and netem in the kernel.",
  "",
  "At the end it checks that each process has ended its work, that messages arrived complete, once and in order, and that all counts "
    + "are as"
    + " at the beginning: file descriptors, threads, shared mappings, files, and what rdma-resource(8) shows. The status is 1 if a check"
    + " failed, and the output names the differences.",
  ""})
public final class Soak implements RdmaCommand {
  private static final int MOST_MINUTES = 100_000;

  @Option(names = "--minutes", paramLabel = "N", description = "Duration in minutes; default: 1.")
  public int minutes = 1;

  @Option(names = "--seconds", paramLabel = "N", description = "Duration in seconds, instead of --minutes.")
  public Integer seconds;

  @Option(names = "--seed", paramLabel = "S", description = "Seed of the random choices; default: a new one for each run.")
  public Long seed;

  @Option(names = "--nodes", paramLabel = "K", description = "Number of processes; default: 3.")
  public int nodes = 3;

  @Option(names = "--fabric", paramLabel = "FABRIC", description = "Fabric or device to use; default: nio.")
  public String fabric = "nio";

  @Option(names = "--beside", paramLabel = "CLASSPATH",
    description = "Class path of another version, for every second process.")
  public String beside;

  @Override
  public void check() {
    RdmaCommand.range("--minutes", minutes, 1, MOST_MINUTES);
    if (seconds != null) {
      RdmaCommand.range("--seconds", seconds, 1, MOST_MINUTES * 60);
    }
    RdmaCommand.range("--nodes", nodes, 2, 16);
    for (String entry : beside == null ? new String[0] : beside.split(File.pathSeparator)) {
      if (entry.isEmpty() || !new File(entry.replaceFirst("/\\*$", "")).exists()) {
        throw new UsageException("--beside " + beside + ": there is no '" + entry + "'");
      }
    }
  }

  public int duration() {
    return seconds == null ? minutes * 60 : seconds;
  }
}
