package io.github.vertxrdma.commands;

import java.util.List;
import picocli.CommandLine.Option;

/** The directory or cluster that a command joins while it runs. */
public final class MembershipOptions {
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
