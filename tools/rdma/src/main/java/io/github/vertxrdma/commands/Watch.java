package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "watch", header = "Prints changes of nodes, names, regions and ports.", description = {"",
  "Prints changes until Ctrl-C: nodes, names and regions in the directory, and the ports of this machine's RDMA devices"
    + " (added or removed, their state, and how often their link was down).",
  "",
  "Without --cluster it finds the nodes of this user on this host that are in no cluster. With --cluster it finds the nodes of that "
    + "cluster.",
  ""})
public final class Watch implements RdmaCommand {
  @Option(names = "--seconds", paramLabel = "N", description = "Ends after N seconds.")
  public int seconds;

  @Option(names = "--json", description = "Prints each change as a line of JSON.")
  public boolean json;

  @Mixin
  public MembershipOptions membership;

  @Override
  public void check() {
    RdmaCommand.range("--seconds", seconds, 0, Integer.MAX_VALUE);
    membership.check();
  }
}
