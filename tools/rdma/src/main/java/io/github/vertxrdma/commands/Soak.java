package io.github.vertxrdma.commands;

import java.io.File;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "soak", header = "Runs random load and faults, and checks that nothing is left.", description = {"",
  "Starts processes that connect, send messages, share and use regions, and call functions and contracts. Each round chooses a fault at"
    + " random from a seed: a process is killed, stopped for a while, or closed, and started again; its network is cut, half open, "
    + "slow, or"
    + " silent in one direction; its clock is set by up to two hours; it gets no memory; the disk of all processes is full; packets "
    + "of all"
    + " processes are lost. Prints the work done once a minute, or every 10 s in a shorter run. At the beginning it prints the faults "
    + "that"
    + " this machine cannot make.",
  "",
  "Relays make the network faults. All control connections use relays, and so does every other connection for messages over nio and tcp."
    + " The small disk needs root and unshare(1); the clock needs a C compiler; the lack of memory needs prlimit(1); lost packets need"
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
    description = "Class path of another version, for every other process.")
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
