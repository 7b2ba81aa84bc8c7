package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** A node that serves calls in its own process, to be killed: an echo, a call without an answer, and a chat that ends with its client. */
final class ServerProcess implements AutoCloseable {
  final ChildJvm jvm;
  final String nodeId;

  private ServerProcess(ChildJvm jvm, String nodeId) {
    this.jvm = jvm;
    this.nodeId = nodeId;
  }

  static ServerProcess start(RdmaOptions options) throws Exception {
    ChildJvm jvm = ChildJvm.start(ServerProcess.class, options.toJson().encode());
    return new ServerProcess(jvm, jvm.await("node "));
  }

  @Override
  public void close() {
    jvm.close();
  }

  public static void main(String[] args) throws Exception {
    Rdma rdma = Rdma.create(Vertx.vertx(), new RdmaOptions(new JsonObject(args[0])));
    RdmaGrpcServer server = RdmaGrpcServer.create(rdma);
    Nodes.serve(server, "Never", call -> {});
    Nodes.serve(server, "Echo", call -> call.last().onSuccess(call.response()::end));
    Nodes.serve(server, "Chat", call -> call.handler(call.response()::write).endHandler(v -> call.response().end()));
    Nodes.await(server.listen(Nodes.NAME));
    System.out.println("node " + Nodes.await(rdma.directory()).nodeId());
    // Ends with the process that started it.
    System.in.read();
    Runtime.getRuntime().halt(0);
  }
}
