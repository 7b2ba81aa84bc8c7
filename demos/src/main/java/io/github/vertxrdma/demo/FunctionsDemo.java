package io.github.vertxrdma.demo;

import io.github.vertxrdma.demo.ShareArguments.UsageException;
import io.github.vertxrdma.functions.ExecutorManager;
import io.github.vertxrdma.functions.ManagerOptions;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.List;

/**
 * Three nodes offer workers for remote functions, and one of them has the files of a folder worked through there. Without {@code --node} it
 * starts the three, each in a process of its own, and shows what they say; it ends with 0 if all of them did.
 */
public final class FunctionsDemo {
  static final List<String> NODES = List.of("A", "B", "C");

  private FunctionsDemo() {
  }

  public static void main(String[] args) throws Exception {
    FunctionsArguments arguments;
    try {
      arguments = FunctionsArguments.parse(args);
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

  private static int startAll(FunctionsArguments arguments, String[] args) throws IOException, InterruptedException {
    Screen screen = Screen.create();
    screen.line("working through " + arguments.folder() + " on nodes " + String.join(", ", NODES)
      + (arguments.fabric() == null ? "" : " over " + arguments.fabric()));
    int worst = NodeProcesses.run(FunctionsDemo.class, NODES, args, screen);
    screen.line(worst == 0 ? "done: the workers' results are those of one thread" : "the demo failed");
    return worst;
  }

  private static int runNode(FunctionsArguments arguments) {
    try (DemoNode node = new DemoNode(arguments.fabric(), arguments.port(), NODES.size())) {
      run(node, arguments);
      return 0;
    } catch (Exception e) {
      return DemoNode.failed(e);
    }
  }

  private static void run(DemoNode node, FunctionsArguments arguments) {
    try {
      ExecutorManager manager = ExecutorManager.create(node.vertx(), node.rdma(), new ManagerOptions().setCores(arguments.workers()));
      DemoNode.await(manager.start());
      System.out.println("node " + DemoNode.await(node.rdma().directory()).nodeId() + " offers " + arguments.workers()
        + (arguments.workers() == 1 ? " worker" : " workers"));
      // B and C go when A has gone.
      Promise<Void> over = Promise.promise();
      if (arguments.node().equals("A")) {
        DemoNode.await(node.rdma().createServer().connectHandler(guest -> guest.handler(message -> { })).listen("demo.over"));
        new FunctionsCaller(node, arguments).run();
      } else {
        DemoNode.await(node.rdma().connect("demo.over")).closeHandler(v -> over.tryComplete());
        over.future().toCompletionStage().toCompletableFuture().get();
      }
      DemoNode.await(manager.close());
    } catch (Exception e) {
      DemoNode.failed(e);
    }
  }
}
