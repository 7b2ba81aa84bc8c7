package io.github.vertxrdma.functions;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.Signals;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;

/** A node with a server of two workers in its own process, to be killed. */
final class ManagerProcess implements AutoCloseable {
  private final Process process;
  final String nodeId;

  private ManagerProcess(Process process, String nodeId) {
    this.process = process;
    this.nodeId = nodeId;
  }

  static ManagerProcess start(RdmaOptions options) throws IOException {
    return start(options, false, Map.of());
  }

  /** @param random whether it has the functions of {@link RandomCallsTest} */
  static ManagerProcess start(RdmaOptions options, boolean random, Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
      "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx256m", "-cp",
      System.getProperty("java.class.path"), ManagerProcess.class.getName(), options.toJson().encode(),
      Boolean.toString(random))
      .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().putAll(environment);
    Process process = builder.start();
    String line = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)).readLine();
    if (line == null) {
      throw new IOException("the server's process ended");
    }
    return new ManagerProcess(process, line);
  }

  void signal(String name) throws IOException, InterruptedException {
    Signals.send(process.pid(), name);
  }

  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  public static void main(String[] args) {
    try {
      serve(new JsonObject(args[0]), Boolean.parseBoolean(args[1]));
    } catch (Throwable e) {
      e.printStackTrace();
      Runtime.getRuntime().halt(1);
    }
    Runtime.getRuntime().halt(0);
  }

  private static void serve(JsonObject json, boolean random) throws Exception {
    RdmaOptions options = new RdmaOptions(json);
    options.setDirectory(new DirectoryOptions(json.getJsonObject("directory")));
    Vertx vertx = Vertx.vertx();
    Rdma rdma = Rdma.create(vertx, options);
    FunctionServer manager = FunctionServer.create(rdma, new FunctionServerOptions().setCores(2).setLoadProviders(false)
      .setColdWorkerRdma(options));
    if (random) {
      RandomCallsTest.functions(manager);
    } else {
      functions(manager);
    }
    Nodes.await(manager.listen(), 150);
    System.out.println(Nodes.await(rdma.directory()).nodeId());
    // Ends with the process that started it.
    System.in.read();
  }

  private static void functions(FunctionServer manager) {
    manager.register("echo", Nodes.ON_LOOP, RemoteFunction.of(arguments -> arguments));
    manager.register("never", Nodes.ON_LOOP, invocation -> Promise.<Buffer>promise().future());
    manager.register("stuck", new FunctionOptions(Nodes.ON_LOOP).setIdempotent(true), invocation -> Promise.<Buffer>promise().future());
  }
}
