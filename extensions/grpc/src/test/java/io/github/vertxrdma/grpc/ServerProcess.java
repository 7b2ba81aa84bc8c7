package io.github.vertxrdma.grpc;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.Signals;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A node that serves calls in its own process, to be killed: an echo, a call without an answer, and a chat that ends with its client. */
final class ServerProcess implements AutoCloseable {
  private final Process process;
  final String nodeId;

  private ServerProcess(Process process, String nodeId) {
    this.process = process;
    this.nodeId = nodeId;
  }

  static ServerProcess start(RdmaOptions options) throws IOException {
    Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp",
      System.getProperty("java.class.path"), ServerProcess.class.getName(), options.toJson().encode())
      .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    if (line == null) {
      throw new IOException("the server's process ended");
    }
    return new ServerProcess(process, line);
  }

  void signal(String name) throws IOException, InterruptedException {
    Signals.send(process.pid(), name);
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public static void main(String[] args) {
    try {
      Vertx vertx = Vertx.vertx();
      Rdma rdma = Rdma.create(vertx, new RdmaOptions(new JsonObject(args[0])));
      RdmaGrpcServer server = RdmaGrpcServer.create(rdma);
      Nodes.serve(server, "Never", call -> {});
      Nodes.serve(server, "Echo", call -> call.last().onSuccess(call.response()::end));
      Nodes.serve(server, "Chat", call -> call.handler(call.response()::write).endHandler(v -> call.response().end()));
      Nodes.await(server.listen(Nodes.NAME));
      System.out.println(Nodes.await(rdma.directory()).nodeId());
      // Ends with the process that started it.
      System.in.read();
    } catch (Throwable e) {
      e.printStackTrace();
    }
    Runtime.getRuntime().halt(0);
  }
}
