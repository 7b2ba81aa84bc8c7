package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "watch", header = "Prints changes of nodes, names, regions and ports.", description = {"",
  "Prints changes until Ctrl-C: nodes, names and regions in the directory, and the ports of this machine's RDMA devices"
    + " (added, removed, their state, how often their link was down), as the kernel shows after each asynchronous event.",
  "",
  "Nodes are found in the same-host directory, which has the processes of this user on this host that are not clustered, or"
    + " in a cluster.",
  ""})
public final class Watch implements RdmaCommand {
  @Option(names = "--seconds", paramLabel = "N", description = "Ends after N seconds.")
  public int seconds;

  @Option(names = "--json", description = "For programs, a line each.")
  public boolean json;

  @Mixin
  public MembershipOptions membership;

  @Override
  public void check() {
    RdmaCommand.range("--seconds", seconds, 0, Integer.MAX_VALUE);
    membership.check();
  }
}
