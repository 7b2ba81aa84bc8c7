package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "stat", header = "Prints the state of the nodes of a running process.", description = {"",
  "Prints once a second, until the process ends or Ctrl-C: devices in use with their rates, connections with their fabric,"
    + " credits and waiting bytes, regions and their holders, and the last errors. The process writes its state to a file that"
    + " only its user can read. For a container, run the command inside."})
public final class Stat implements RdmaCommand {
  private static final int MOST_PORT = 65_535;

  @Parameters(arity = "0..1", paramLabel = "PID", description = "Process id; default: the only process of this user that has nodes.")
  public Long pid;

  @Option(names = "--once", description = "Prints the state once.")
  public boolean once;

  @Option(names = "--json", description = "Prints JSON: a line each second, or formatted with --once.")
  public boolean json;

  @Option(names = "--page", paramLabel = "PORT", description = "Serves a page for a browser on the loopback address, with a token in the"
    + " printed URL; 0 for any port.")
  public Integer page;

  @Override
  public void check() {
    if (page != null) {
      RdmaCommand.range("--page", page, 0, MOST_PORT);
      if (once || json) {
        throw new UsageException("--page runs until Ctrl-C, so it cannot be combined with --once or --json");
      }
    }
  }
}
