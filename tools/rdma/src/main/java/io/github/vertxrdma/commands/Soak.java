package io.github.vertxrdma.commands;

import java.io.File;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(name = "soak", header = "Runs random load and faults, and checks that nothing is left.", description = {"",
  "Starts processes that connect, send, share and use regions, and call functions and contracts. In rounds, at random out of a seed, one"
    + " is killed,"
    + " stopped for a while, or closed, and started again; its network is cut, half open, slow, or silent one way; its clock is set by up"
    + " to two hours;"
    + " it is refused memory; the disk of all has no room; packets of all are lost. Prints what was done once a minute, or every 10 s"
    + " where it does not"
    + " last that long, and at the beginning what cannot be done here.",
  "",
  "Control connections go past relays that make the bad networks, and of those with messages over nio and tcp every other one. The small"
    + " disk takes root,"
    + " and unshare(1); the clock a C compiler; scarce memory prlimit(1); lost packets root, tc(8), and netem in the kernel.",
  "",
  "In the end each process has ended what it began, messages came whole, once and in order, and everything counted is back where it began:"
    + " file descriptors, threads, shared mappings, files, and what rdma-resource(8) shows. The status is 1 if not, and the"
    + " output names the differences.",
  ""})
public final class Soak implements RdmaCommand {
  private static final int MOST_MINUTES = 100_000;

  @Option(names = "--minutes", paramLabel = "N", description = "How long; default: 1.")
  public int minutes = 1;

  @Option(names = "--seconds", paramLabel = "N", description = "How long, in seconds, in place of minutes.")
  public Integer seconds;

  @Option(names = "--seed", paramLabel = "S", description = "What happens by chance; default: another one each time.")
  public Long seed;

  @Option(names = "--nodes", paramLabel = "K", description = "Processes; default: 3.")
  public int nodes = 3;

  @Option(names = "--fabric", paramLabel = "FABRIC", description = "Over this fabric or device; default: nio.")
  public String fabric = "nio";

  @Option(names = "--beside", paramLabel = "CLASSPATH",
    description = "Every other process has this before its class path: another version's.")
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
