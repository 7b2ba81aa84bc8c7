package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
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
  static Place of(Demo.Node node) {
    return new Place(node.host, node.members, node.port);
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
