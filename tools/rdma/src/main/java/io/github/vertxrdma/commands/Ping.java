package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "ping", header = "Measures round trips to a name or node over each fabric.", description = {"",
  "Prints the shortest, average, median, 99th percentile and longest round trip, or why a fabric does not reach the node. The"
    + " node answers without its application. The status is 0 if every node of that name answered over some fabric.",
  "",
  "Then it connects to each TCP port that the directory has of the node, which shows what a firewall permits: the control"
    + " port, ports of fabrics that are sockets, and servers, including the event bus.",
  "",
  "Nodes are found in the same-host directory, which has the processes of this user on this host that are not clustered, or"
    + " in a cluster.",
  ""})
public final class Ping implements RdmaCommand {
  /** Limited because the time of each round trip is kept in memory. */
  private static final int MOST_COUNT = 10_000_000;
  private static final int MOST_SIZE = 64 << 20;

  @Parameters(paramLabel = "NAME", description = "A name of a service, a node's id, or the beginning of node ids.")
  public String name;

  @Option(names = "--count", paramLabel = "N", description = "Messages, each after the answer to the one before; default: 1000.")
  public int count = 1000;

  @Option(names = "--size", paramLabel = "BYTES", description = "Bytes of each; default: 64.")
  public int size = 64;

  @Option(names = "--fabric", paramLabel = "FABRIC", description = "Over this fabric or device alone.")
  public String fabric;

  @Option(names = "--json", description = "For programs; round trips in nanoseconds; no reports if no node has the name, or this side no"
    + " such fabric.")
  public boolean json;

  @Mixin
  public MembershipOptions membership;

  @Override
  public void check() {
    RdmaCommand.range("--count", count, 1, MOST_COUNT);
    RdmaCommand.range("--size", size, 0, MOST_SIZE);
    membership.check();
  }
}
