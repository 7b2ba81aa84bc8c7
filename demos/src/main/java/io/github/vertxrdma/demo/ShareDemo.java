package io.github.vertxrdma.demo;

import java.io.IOException;

/** Three nodes share a file through remote memory. */
public final class ShareDemo {
  private ShareDemo() {
  }

  public static void main(String[] args) throws Exception {
    NodeDemo.main(args, ShareArguments::parse, ShareDemo::startAll, ShareDemo::runNode);
  }

  private static int startAll(ShareArguments arguments, String[] args) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line("sharing " + arguments.file() + " (" + DemoNode.mebibytes(arguments.file().toFile().length()) + " MiB) among nodes "
      + String.join(", ", NodeDemo.NODES) + (arguments.fabric() == null ? "" : " over " + arguments.fabric()));
    int worst = NodeProcesses.run(ShareDemo.class, args, screen);
    screen.line(worst == 0 ? "done: all nodes have the same file" : "the demo failed");
    return worst;
  }

  private static void runNode(ShareArguments arguments) throws Exception {
    DemoNode node = new DemoNode(arguments.fabric(), arguments.place());
    if (arguments.node().equals("A")) {
      new Owner(node, arguments).run();
    } else {
      new Guest(node, arguments).run();
    }
    node.close();
  }
}
