package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import java.io.IOException;
import java.util.List;

/**
 * A job board on the clustered event bus: node A posts jobs, B and C take them and report what came out, over the fabric and over TCP in
 * turn. C is killed in the middle; its jobs go to the others.
 */
final class BusDemo {
  /** The line of A that says when C is to be killed. */
  static final String HALF = "half of the jobs are done";
  /** Node lines without date and class: what this library and Vert.x tell while they run. */
  private static final String FORMAT = "-Djava.util.logging.SimpleFormatter.format=%5$s%n";

  private BusDemo() {
  }

  static int run(Demo.Bus arguments, String[] line) throws Exception {
    return NodeDemo.run(arguments.node, () -> startAll(arguments, line), () -> runNode(arguments));
  }

  private static int startAll(Demo.Bus arguments, String[] line) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line("a board of " + arguments.jobs + " jobs on node A, workers on B and C; every job once over "
      + (arguments.node.fabric == null ? "the best fabric" : arguments.node.fabric) + " and once over TCP");
    // Each node is a member of two clusters.
    int port = NodeProcesses.freePorts(2 * NodeDemo.NODES.size());
    NodeProcesses nodes = new NodeProcesses(List.of(FORMAT), port, line, screen);
    nodes.show(said -> {
      if (said.startsWith(HALF)) {
        screen.line("kill -9 node C");
        nodes.kill("C");
      }
    });
    // The board waits for its workers.
    nodes.endTogether();
    int worst = 0;
    for (String node : NodeDemo.NODES) {
      if (!nodes.endsWell(node)) {
        worst = 1;
        // Without the board there is nothing to do for the others.
        NodeDemo.NODES.forEach(nodes::kill);
      }
    }
    screen.line(worst == 0 ? "done: every job is, though a node was killed" : "the demo failed");
    return worst;
  }

  private static void runNode(Demo.Bus arguments) throws Exception {
    JobsNode node = new JobsNode(arguments.node);
    if (arguments.node.name.equals("A")) {
      if (arguments.page) {
        // The log tells its URL.
        node.page();
      }
      new Board(node, arguments.jobs, arguments.page).run();
    } else {
      new Worker(node, arguments.node.name, arguments.jobs).run();
    }
    node.close();
  }
}
