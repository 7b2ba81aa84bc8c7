package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;

/** Three nodes share a file through remote memory. */
final class ShareDemo {
  private ShareDemo() {
  }

  static int run(Demo arguments, String[] line) throws Exception {
    return NodeDemo.run(arguments.node, () -> NodeProcesses.run(line, "sharing " + arguments.file + " ("
      + DemoNode.mebibytes(arguments.file.toFile().length()) + " MiB) among nodes " + String.join(", ", NodeDemo.NODES)
      + (arguments.node.fabric == null ? "" : " over " + arguments.node.fabric), "all nodes have the same file"), () -> runNode(arguments));
  }

  private static void runNode(Demo arguments) throws Exception {
    DemoNode node = new DemoNode(arguments.node);
    if (arguments.node.name.equals("A")) {
      new Owner(node, arguments).run();
    } else {
      new Guest(node, arguments).run();
    }
    node.close();
  }
}
