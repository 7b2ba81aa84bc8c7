package io.github.vertxrdma.commands;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ping}. */
@Command(name = "ping", header = "Asks a name or node for answers over each fabric that reaches it.", description = {"",
  "Prints how long the answers took: shortest, average, median, 99th percentile, longest; or why a fabric does not reach it. Nodes answer"
    + " by themselves: the application there sees nothing of it. The status is 0 if every node of that name answered over some fabric.",
  "",
  "Then it connects to each TCP port that the directory has of the node, which shows what a firewall lets through: the control port, ports"
    + " of fabrics that are sockets, and servers, the event bus among them.",
  "",
  "Nodes are found in the same-host directory, which is where processes of this user on this host are that do not cluster; or in a"
    + " cluster.",
  ""})
public final class Ping implements RdmaCommand {
  /** Each time is kept. */
  private static final int MOST_COUNT = 10_000_000;
  private static final int MOST_SIZE = 64 << 20;

  @Parameters(paramLabel = "NAME", description = "A name that is listened on, a node's id, or how node ids begin.")
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
