package io.github.vertxrdma.commands;

import java.util.List;
import picocli.CommandLine.Option;

/** The directory or cluster that a command joins while it runs. */
public final class MembershipOptions {
  @Option(names = "--cluster", split = ",", paramLabel = "HOST:PORT", description = "Ask these members of a Hazelcast cluster, as a"
    + " client.")
  public List<String> cluster = List.of();

  @Option(names = "--cluster-name", paramLabel = "NAME", description = "The cluster's name; default: dev, as is Hazelcast's.")
  public String clusterName = "dev";

  @Option(names = "--host", paramLabel = "ADDRESS",
    description = "This host's address, as the nodes reach it; default: the one by which it reaches the first member.")
  public String host;

  @Option(names = "--group", paramLabel = "NAME", description = "The group of the directory; on this host else the only one there is.")
  public String group;

  void check() {
    for (String member : cluster) {
      if (!member.matches("\\[?(.+?)]?:([0-9]{1,5})") || Integer.parseInt(member.substring(member.lastIndexOf(':') + 1)) > 65_535) {
        throw new UsageException("--cluster '" + member + "' is not a member's address: use HOST:PORT,…");
      }
    }
  }
}
