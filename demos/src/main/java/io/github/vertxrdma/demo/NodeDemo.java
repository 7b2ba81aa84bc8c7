package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import java.io.IOException;
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
    if (node.endsWithInput) {
      Thread.ofPlatform().daemon().name("end of the input").start(NodeDemo::endWithInput);
    }
    try {
      one.run();
    } catch (Throwable e) {
      // After an error, too, threads of Hazelcast and Vert.x would keep the process alive.
      DemoNode.failed(e);
    }
    return 0;
  }

  /** Ends this process at once, as nobody is there to be told. */
  private static void endWithInput() {
    try {
      while (System.in.read() >= 0) {
        // Only the end matters.
      }
    } catch (IOException e) {
      // It has ended, too.
    }
    Runtime.getRuntime().halt(1);
  }
}
