package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.vertx.core.Future;
import io.vertx.grpc.health.HealthService;
import io.vertx.grpc.reflection.ReflectionService;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that is not of Java calls a server's twin for HTTP/2: gRPC's interoperability tests with grpc-js, which learns the service by reflection.
 * {@code npm install @grpc/grpc-js @grpc/proto-loader} and {@code -Dgrpc.node.modules=} its folder {@code node_modules} make it run.
 */
@Tag("long")
class NodeClientTest extends Nodes {
  private static final String MODULES = System.getProperty("grpc.node.modules", System.getenv().getOrDefault("NODE_PATH", ""));

  private void copy(String proto) throws IOException {
    try (InputStream in = ReflectionService.class.getClassLoader().getResourceAsStream(proto)) {
      Files.copy(in, folder.resolve(proto));
    }
  }

  private static boolean isThere() throws Exception {
    try {
      return new ProcessBuilder("node", "--version").redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  @Timeout(180)
  void aClientOfGrpcJs() throws Exception {
    assumeTrue(isThere(), "needs node (nodejs)");
    assumeTrue(Files.isDirectory(Path.of(MODULES, "@grpc", "grpc-js")), "needs npm's @grpc/grpc-js and @grpc/proto-loader, -Dgrpc.node.modules= names"
      + " their folder");
    Node node = node();
    RdmaGrpcServer server = server(node, new RdmaGrpcServerOptions());
    server.addService(new InteropServer()).addService(ReflectionService.v1());
    server.addService(HealthService.create(node.vertx()).register("vertxrdma.test.Interop", () -> Future.succeededFuture(true)));
    InteropServer.withMetadata(server);
    await(server.listen(NAME));
    int port = await(node.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
    copy("reflection.proto");
    copy("health.proto");
    Path said = folder.resolve("said");
    ProcessBuilder builder = new ProcessBuilder("node", Path.of("src/test/node/client.js").toAbsolutePath().toString(), Integer.toString(port),
      folder.toString()).redirectErrorStream(true).redirectOutput(said.toFile());
    builder.environment().put("NODE_PATH", MODULES);
    Process client = builder.start();
    try {
      assertTrue(client.waitFor(120, TimeUnit.SECONDS), () -> "it did not end");
    } finally {
      client.destroyForcibly();
    }
    List<String> lines = Files.readAllLines(said);
    assertEquals(List.of("health", "reflection", "empty_unary", "large_unary", "client_streaming", "server_streaming", "ping_pong", "custom_metadata",
      "special_status_message", "unimplemented_method", "cancel_after_first_response", "timeout_on_sleeping_server", "client_compressed_unary"), lines);
  }
}
