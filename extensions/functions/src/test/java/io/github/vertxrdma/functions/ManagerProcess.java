package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** A node with a server of two workers in its own process, to be killed. */
final class ManagerProcess implements AutoCloseable {
  final ChildJvm jvm;
  final String nodeId;

  private ManagerProcess(ChildJvm jvm, String nodeId) {
    this.jvm = jvm;
    this.nodeId = nodeId;
  }

  /** @param random whether it has the functions of {@link RandomCallsTest} */
  static ManagerProcess start(RdmaOptions options, boolean random) throws Exception {
    return start(options, random, Map.of());
  }

  static ManagerProcess start(RdmaOptions options, boolean random, Map<String, String> environment) throws Exception {
    List<String> program = Stream.concat(Stream.of("env"), environment.entrySet().stream().map(Object::toString)).toList();
    ChildJvm jvm = ChildJvm.startBy(program, ManagerProcess.class, options.toJson().encode(), Boolean.toString(random));
    return new ManagerProcess(jvm, jvm.await("node "));
  }

  @Override
  public void close() {
    jvm.close();
  }

  public static void main(String[] args) throws Exception {
    RdmaOptions options = new RdmaOptions(new JsonObject(args[0]));
    Rdma rdma = Rdma.create(Vertx.vertx(), options);
    FunctionServer manager = FunctionServer.create(rdma, new FunctionServerOptions().setCores(2).setLoadProviders(false)
      .setColdWorkerRdma(options));
    if (Boolean.parseBoolean(args[1])) {
      RandomCallsTest.functions(manager);
    } else {
      functions(manager);
    }
    Nodes.await(manager.listen());
    System.out.println("node " + Nodes.await(rdma.directory()).nodeId());
    // Ends with the process that started it.
    System.in.read();
    Runtime.getRuntime().halt(0);
  }

  private static void functions(FunctionServer manager) {
    manager.register("echo", Nodes.ON_LOOP, RemoteFunction.of(arguments -> arguments));
    manager.register("never", Nodes.ON_LOOP, invocation -> Promise.<Buffer>promise().future());
    manager.register("stuck", new FunctionOptions(Nodes.ON_LOOP).setIdempotent(true), invocation -> Promise.<Buffer>promise().future());
  }
}
