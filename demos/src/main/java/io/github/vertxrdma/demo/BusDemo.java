package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A job board on the clustered event bus: node A posts jobs, B and C take them and report what came out, over the fabric and over TCP in
 * turn. C is killed in the middle; its jobs go to the others. Without {@code --node} it starts the three and shows what they say.
 */
public final class BusDemo {
  static final List<String> NODES = List.of("A", "B", "C");
  /** What A says when C is to be killed. */
  static final String HALF = "half of the jobs are done";
  /** Node lines without date and class: what this library and Vert.x tell while they run. */
  private static final List<String> FLAGS = List.of("-Djava.util.logging.SimpleFormatter.format=%5$s%n");

  private BusDemo() {
  }

  public static void main(String[] args) throws Exception {
    JobsArguments arguments;
    try {
      arguments = JobsArguments.parse(args);
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

  private static int runNode(JobsArguments arguments) {
    try {
      JobsNode node = new JobsNode(arguments);
      if (arguments.node().equals("A")) {
        new Board(node, arguments.jobs()).run();
      } else {
        new Worker(node, arguments.node(), arguments.jobs()).run();
      }
      node.close();
      return 0;
    } catch (Exception e) {
      Throwable cause = DemoNode.cause(e);
      System.out.println("failed: " + (cause.getMessage() == null ? cause.toString() : cause.getMessage()));
      System.out.flush();
      Runtime.getRuntime().halt(1);
      return 1;
    }
  }

  private static int startAll(JobsArguments arguments, String[] args) throws IOException, InterruptedException {
    int port = NodeProcesses.freePorts(2 * NODES.size());
    Screen screen = Screen.create();
    screen.line("a board of " + arguments.jobs() + " jobs on node A, workers on B and C; every job once over "
      + (arguments.fabric() == null ? "the best fabric" : arguments.fabric()) + " and once over TCP");
    List<String> flags = new ArrayList<>(FLAGS);
    if (arguments.fabric() != null) {
      flags.add("-Dvertx.rdma.fabric=" + arguments.fabric());
    }
    List<Process> processes = new ArrayList<>();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> processes.forEach(Process::destroyForcibly)));
    List<Thread> readers = new ArrayList<>();
    for (String node : NODES) {
      Process process = NodeProcesses.start(BusDemo.class, flags, node, port, args);
      processes.add(process);
      Thread reader = new Thread(() -> screen.show(node, process.getInputStream(), line -> {
        if (line.startsWith(HALF)) {
          screen.line("kill -9 node C");
          processes.getLast().destroyForcibly();
        }
      }), "output of " + node);
      readers.add(reader);
    }
    readers.forEach(Thread::start);
    int worst = 0;
    for (int i = 0; i < NODES.size(); i++) {
      int status = processes.get(i).waitFor();
      readers.get(i).join();
      if (status != 0 && i < NODES.size() - 1) {
        screen.line("node " + NODES.get(i) + " ended with " + (status > 128 ? "signal " + (status - 128) : "status " + status));
        worst = 1;
        // Without the board there is nothing to do for the others.
        processes.forEach(Process::destroyForcibly);
      }
    }
    screen.line(worst == 0 ? "done: every job is, though a node was killed" : "the demo failed");
    return worst;
  }
}
