package io.github.vertxrdma.demo;

import com.hazelcast.config.Config;
import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.github.vertxrdma.commands.Demo;
import java.util.ArrayList;
import java.util.List;

/** Clusters of a demo's nodes: on one machine, or on a host each. */
final class Clusters {
  private Clusters() {
  }

  /** One of them. @param index of this cluster among those of the demo: each has ports of its own */
  static Config of(Demo.Node node, String name, int index) {
    int nodes = NodeDemo.NODES.size();
    int first = node.port + index * nodes;
    if (node.host == null) {
      return QuietHazelcast.loopback(name, first, nodes);
    }
    List<String> places = new ArrayList<>();
    for (String member : node.members) {
      for (int i = 0; i < nodes; i++) {
        places.add((member.indexOf(':') < 0 ? member : '[' + member + ']') + ':' + (first + i));
      }
    }
    return QuietHazelcast.among(name, node.host, first, nodes, places);
  }
}
