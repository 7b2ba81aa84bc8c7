package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import java.io.IOException;

/** Three nodes share a file through remote memory. */
final class ShareDemo {
  private ShareDemo() {
  }

  static int run(Demo arguments, String[] line) throws Exception {
    return NodeDemo.run(arguments.node, () -> startAll(arguments, line), () -> runNode(arguments));
  }

  private static int startAll(Demo arguments, String[] line) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line("sharing " + arguments.file + " (" + DemoNode.mebibytes(arguments.file.toFile().length()) + " MiB) among nodes "
      + String.join(", ", NodeDemo.NODES) + (arguments.node.fabric == null ? "" : " over " + arguments.node.fabric));
    int worst = NodeProcesses.run(line, screen);
    screen.line(worst == 0 ? "done: all nodes have the same file" : "the demo failed");
    return worst;
  }

  private static void runNode(Demo arguments) throws Exception {
    DemoNode node = new DemoNode(arguments.node.fabric, Place.of(arguments.node));
    if (arguments.node.name.equals("A")) {
      new Owner(node, arguments).run();
    } else {
      new Guest(node, arguments).run();
    }
    node.close();
  }
}
