package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code stat}. */
@Command(name = "stat", header = "What the nodes of a running process do.", description = {"",
  "Once a second until it ends or Ctrl-C: devices in use with their rates, connections with the fabric, credits and what waits, remote"
    + " memory and who holds it, and the last errors. The process writes it into a file of its user's, so that user has to ask; in a"
    + " container, run it inside."})
public final class Stat implements RdmaCommand {
  private static final int MOST_PORT = 65_535;

  @Parameters(arity = "0..1", paramLabel = "PID", description = "The process; without one, the only one of this user that has nodes.")
  public Long pid;

  @Option(names = "--once", description = "Once.")
  public boolean once;

  @Option(names = "--json", description = "For programs; a line each second, or pretty with --once.")
  public boolean json;

  @Option(names = "--page", paramLabel = "PORT", description = "As a page for a browser, which changes by itself: on the loopback address,"
    + " for who knows the token in the URL that is printed; 0 for any port.")
  public Integer page;

  @Override
  public void check() {
    if (page != null) {
      RdmaCommand.range("--page", page, 0, MOST_PORT);
      if (once || json) {
        throw new UsageException("--page serves until Ctrl-C, so it goes with neither --once nor --json");
      }
    }
  }
}
