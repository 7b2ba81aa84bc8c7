package io.github.vertxrdma.commands;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "ping", header = "Measures round trips to a name or node over each fabric.", description = {"",
  "Prints the shortest, average, median, 99th percentile and longest round trip, or why a fabric does not reach the node. The"
    + " node answers without its application. The status is 0 if every node of that name answered over some fabric.",
  "",
  "Then it connects to each TCP port of the node in the directory, which shows what a firewall permits: the control port, ports of "
    + "fabrics that use sockets, and ports of servers, including the event bus.",
  "",
  "Without --cluster it finds the nodes of this user on this host that are in no cluster. With --cluster it finds the nodes of that "
    + "cluster.",
  ""})
public final class Ping implements RdmaCommand {
  /** Limit of messages, because the time of each is kept in memory. */
  private static final int MOST_COUNT = 10_000_000;
  private static final int MOST_SIZE = 64 << 20;

  @Parameters(paramLabel = "NAME", description = "Name of a service, id of a node, or the beginning of node ids.")
  public String name;

  @Option(names = "--count", paramLabel = "N", description = "Number of messages over each fabric, each sent after the reply to the "
    + "previous one; default: 1000.")
  public int count = 1000;

  @Option(names = "--size", paramLabel = "BYTES", description = "Bytes of each message; default: 64.")
  public int size = 64;

  @Option(names = "--fabric", paramLabel = "FABRIC", description = "Uses only this fabric or device.")
  public String fabric;

  @Option(names = "--json", description = "Prints JSON, with round trips in nanoseconds. Without reports if no node has the name, or "
    + "this host does not have the fabric.")
  public boolean json;

  @Mixin
  public MembershipOptions membership;

  @Override
  public void check() {
    RdmaCommand.range("--count", count, 1, MOST_COUNT);
    RdmaCommand.range("--size", size, 0, MOST_SIZE);
    membership.check();
  }

  /** The directory or cluster that a command joins while it runs. */
  public static final class MembershipOptions {
    @Option(names = "--cluster", split = ",", paramLabel = "HOST:PORT", description = "Connects as a client to these members of a "
      + "Hazelcast cluster.")
    public List<String> cluster = List.of();

    @Option(names = "--cluster-name", paramLabel = "NAME", description = "Name of the Hazelcast cluster; default: dev, which is "
      + "Hazelcast's default.")
    public String clusterName = "dev";

    @Option(names = "--host", paramLabel = "ADDRESS",
      description = "Address of this host that the nodes can reach; default: the address from which this host reaches the first member.")
    public String host;

    @Option(names = "--group", paramLabel = "NAME", description = "Group of the directory; default: the only group of this host, or "
      + "default in a cluster.")
    public String group;

    void check() {
      for (String member : cluster) {
        if (!member.matches("\\[?(.+?)]?:([0-9]{1,5})") || Integer.parseInt(member.substring(member.lastIndexOf(':') + 1)) > 65_535) {
          throw new UsageException("--cluster '" + member + "' is not the address of a member: use HOST:PORT, or several separated by "
            + "commas");
        }
      }
    }
  }
}
