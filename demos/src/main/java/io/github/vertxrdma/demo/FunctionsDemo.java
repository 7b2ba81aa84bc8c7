package io.github.vertxrdma.demo;

import io.github.vertxrdma.commands.Demo;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.vertx.core.Promise;

/** Three nodes offer workers for remote functions, and one of them has the files of a folder worked through there. */
final class FunctionsDemo {
  private FunctionsDemo() {
  }

  static int run(Demo.Functions arguments, String[] line) throws Exception {
    return NodeDemo.run(arguments.node, () -> NodeProcesses.run(line, "working through " + arguments.folder + " on nodes "
      + String.join(", ", NodeDemo.NODES) + (arguments.node.fabric == null ? "" : " over " + arguments.node.fabric),
      "the workers' results are those of one thread"), () -> runNode(arguments));
  }

  private static void runNode(Demo.Functions arguments) throws Exception {
    DemoNode node = new DemoNode(arguments.node);
    FunctionServer manager = FunctionServer.create(node.vertx(), node.rdma(), new FunctionServerOptions().setCores(arguments.workers));
    DemoNode.await(manager.listen());
    System.out.println("node " + DemoNode.await(node.rdma().directory()).nodeId() + " offers " + arguments.workers
      + (arguments.workers == 1 ? " worker" : " workers"));
    // B and C go when A has gone.
    Promise<Void> over = Promise.promise();
    if (arguments.node.name.equals("A")) {
      DemoNode.await(node.rdma().createServer().connectHandler(guest -> guest.handler(message -> {})).listen("demo.over"));
      new FunctionsCaller(node, arguments).run();
    } else {
      DemoNode.await(node.rdma().connect("demo.over")).closeHandler(v -> over.tryComplete());
      over.future().await();
    }
    DemoNode.await(manager.close());
    node.close();
  }
}
