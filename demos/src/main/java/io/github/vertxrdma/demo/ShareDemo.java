package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;
import java.io.IOException;
import java.util.List;

/**
 * Three nodes share a file through remote memory. Without {@code --node} it starts the three, each in a process of its own, and shows what
 * they say; it ends with 0 if all of them did.
 */
public final class ShareDemo {
  static final List<String> NODES = List.of("A", "B", "C");

  private ShareDemo() {
  }

  public static void main(String[] args) throws Exception {
    ShareArguments arguments;
    try {
      arguments = ShareArguments.parse(args);
      if (arguments.node() == null && arguments.fabric() != null) {
        FabricCheck.check(arguments.fabric());
      }
    } catch (UsageException e) {
      System.err.println("demo: " + e.getMessage());
      System.exit(2);
      return;
    }
    System.exit(arguments.node() == null ? startAll(arguments, args) : runNode(arguments));
  }

  private static int runNode(ShareArguments arguments) {
    try (DemoNode node = new DemoNode(arguments)) {
      return run(node, arguments);
    } catch (Exception e) {
      return DemoNode.failed(e);
    }
  }

  private static int run(DemoNode node, ShareArguments arguments) {
    try {
      if (arguments.node().equals("A")) {
        new Owner(node, arguments).run();
      } else {
        new Guest(node, arguments).run();
      }
      return 0;
    } catch (Exception e) {
      return DemoNode.failed(e);
    }
  }

  private static int startAll(ShareArguments arguments, String[] args) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line("sharing " + arguments.file() + " (" + DemoNode.mebibytes(arguments.file().toFile().length()) + " MiB) among nodes "
      + String.join(", ", NODES) + (arguments.fabric() == null ? "" : " over " + arguments.fabric()));
    int worst = NodeProcesses.run(ShareDemo.class, NODES, args, screen);
    screen.line(worst == 0 ? "done: all nodes have the same file" : "the demo failed");
    return worst;
  }
}
