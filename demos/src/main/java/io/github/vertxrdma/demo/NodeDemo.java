package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import java.util.List;

/**
 * A demo with three nodes. Without {@code --node} it starts them, each in a process of its own, and shows what they say; with it, it is one
 * of them.
 */
final class NodeDemo {
  static final List<String> NODES = Demo.Node.NAMES;

  private NodeDemo() {
  }

  /** All of them. */
  interface AllNodes {
    /** @return the status that the demo ends with */
    int run() throws Exception;
  }

  /** One of them. */
  interface OneNode {
    void run() throws Exception;
  }

  /** Runs all or one. A node that fails says why and ends at once with 1. @return the status to exit with */
  static int run(Demo.Node node, AllNodes all, OneNode one) throws Exception {
    if (node.name == null) {
      if (node.fabric != null) {
        FabricCheck.check(node.fabric);
      }
      return all.run();
    }
    try {
      one.run();
    } catch (Exception e) {
      DemoNode.failed(e);
    }
    return 0;
  }
}
