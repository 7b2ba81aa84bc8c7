package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.cluster.QuietHazelcast;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a node of a demo is: on one machine with the others, or on a host of its own.
 *
 * @param host the node's own address, null for one machine's loopback address
 * @param members addresses of the nodes' hosts, this one's included; empty for one machine
 * @param port first port of the cluster
 */
record Place(String host, List<String> members, int port) {
  private static final int PORT = 5701;

  /** Takes the options that say so from a command line. */
  static final class Parser {
    private String host;
    private List<String> members = List.of();
    private int port;

    /** @return whether this option is one of these; then its value was taken */
    boolean takes(String[] args, int i) throws UsageException {
      switch (args[i]) {
        case "--host" -> host = CommandLine.value(args, i + 1);
        case "--members" -> members = List.of(CommandLine.value(args, i + 1).split(","));
        case "--port" -> port = CommandLine.number(args, i + 1, 1, 65_535);
        default -> {
          return false;
        }
      }
      return true;
    }

    /** @param node which node this process is, null for the one that starts them */
    Place place(String node) throws UsageException {
      if ((host != null || !members.isEmpty()) && (node == null || host == null || !members.contains(host))) {
        throw new UsageException("--host is the address of the one --node that is started here, and one of --members");
      }
      return new Place(host, members, port == 0 ? PORT : port);
    }
  }

  /** @param index of this cluster among those of the demo: each has ports of its own */
  Config cluster(String name, int index) {
    int nodes = NodeDemo.NODES.size();
    int first = port + index * nodes;
    if (host == null) {
      return QuietHazelcast.loopback(name, first, nodes);
    }
    List<String> places = new ArrayList<>();
    for (String member : members) {
      for (int i = 0; i < nodes; i++) {
        places.add((member.indexOf(':') < 0 ? member : '[' + member + ']') + ':' + (first + i));
      }
    }
    return QuietHazelcast.among(name, host, first, nodes, places);
  }
}
