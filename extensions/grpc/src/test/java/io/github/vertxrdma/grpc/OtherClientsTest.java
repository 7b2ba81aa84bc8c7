package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.github.vertxrdma.grpc.interop.EchoStatus;
import io.github.vertxrdma.grpc.interop.InteropGrpcService;
import io.vertx.core.Future;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.health.HealthService;
import io.vertx.grpc.reflection.ReflectionService;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Clients in other languages call a server over HTTP/2: gRPC's interoperability tests with grpc-js, and {@code buf curl} in Go, which
 * learns the service by reflection. {@code npm install @grpc/grpc-js @grpc/proto-loader @bufbuild/buf} and {@code -Dgrpc.node.modules=} its
 * folder {@code node_modules} make them run; so does a {@code buf} on the path.
 */
@Tag("long")
@Timeout(180)
class OtherClientsTest extends Nodes {
  private static final String MODULES = System.getProperty("grpc.node.modules", System.getenv().getOrDefault("NODE_PATH", ""));
  private static final Path BUF_OF_NPM = Path.of(MODULES, ".bin", "buf");
  private static final String BUF = Files.isExecutable(BUF_OF_NPM) ? BUF_OF_NPM.toString() : "buf";
  private static final EchoStatus DETAIL = EchoStatus.newBuilder().setCode(7).setMessage("why").build();

  private RdmaGrpcServer server;
  private int port;

  @BeforeEach
  void start() throws Exception {
    Node node = node();
    server = server(node, new RdmaGrpcServerOptions());
    server.addService(new InteropServer()).addService(ReflectionService.v1());
    server.addService(HealthService.create(node.vertx()).register("vertxrdma.test.Interop", () -> Future.succeededFuture(true)));
    InteropServer.withMetadata(server);
    await(server.listen(NAME));
    port = await(node.vertx().createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
  }

  private record Said(int status, String out, String err) {
    String messages() {
      return out.replaceAll("\\s", "");
    }
  }

  private Said run(List<String> command) throws Exception {
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().put("NODE_PATH", MODULES);
    Process client = builder.start();
    try {
      assertTrue(client.waitFor(120, TimeUnit.SECONDS), () -> "it did not end: " + command);
    } finally {
      client.descendants().forEach(ProcessHandle::destroyForcibly);
      client.destroyForcibly();
    }
    return new Said(client.exitValue(), Files.readString(out), Files.readString(err));
  }

  private boolean isThere(String command) throws Exception {
    try {
      return run(List.of(command, "--version")).status == 0;
    } catch (IOException e) {
      return false;
    }
  }

  private void copy(String proto) throws IOException {
    try (InputStream in = ReflectionService.class.getClassLoader().getResourceAsStream(proto)) {
      Files.copy(in, folder.resolve(proto));
    }
  }

  @Test
  void aClientOfGrpcJs() throws Exception {
    assumeTrue(isThere("node"), "needs node (nodejs)");
    assumeTrue(Files.isDirectory(Path.of(MODULES, "@grpc", "grpc-js")),
      "needs npm's @grpc/grpc-js and @grpc/proto-loader, -Dgrpc.node.modules= names"
        + " their folder");
    copy("reflection.proto");
    copy("health.proto");
    Said said = run(
      List.of("node", Path.of("src/test/node/client.js").toAbsolutePath().toString(), Integer.toString(port), folder.toString()));
    assertEquals(
      List.of("health", "reflection", "empty_unary", "large_unary", "client_streaming", "server_streaming", "ping_pong", "custom_metadata",
        "special_status_message", "unimplemented_method", "cancel_after_first_response", "timeout_on_sleeping_server",
        "client_compressed_unary"),
      said.out.lines().toList(), said.err);
  }

  private Said curl(String method, String messages, String... options) throws Exception {
    List<String> command = new ArrayList<>(List.of(BUF, "curl", "--protocol", "grpc", "--http2-prior-knowledge", "--data", messages));
    command.addAll(List.of(options));
    command.add("http://127.0.0.1:" + port + "/vertxrdma.test.Interop/" + method);
    return run(command);
  }

  private static void assertAnswer(String messages, Said said) {
    assertEquals(0, said.status, said.err);
    assertEquals(messages, said.messages());
  }

  /** The exit status is eight times the call's status. */
  private static void assertFailed(GrpcStatus status, Said said) {
    assertEquals(status.code << 3, said.status, said.err);
  }

  @Test
  void aClientOfGo() throws Exception {
    assumeTrue(isThere(BUF), "needs buf, or npm's @bufbuild/buf, -Dgrpc.node.modules= names its folder");
    Said services = run(
      List.of(BUF, "curl", "--protocol", "grpc", "--http2-prior-knowledge", "--list-services", "http://127.0.0.1:" + port));
    assertEquals(List.of("grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection", "vertxrdma.test.Interop"),
      services.out.lines().sorted().toList(),
      services.err);

    assertAnswer("{}", curl("EmptyCall", "{}"));
    assertAnswer("{}", curl("EmptyCall", "{}", "--protocol", "grpcweb"));
    assertAnswer("{\"payload\":\"AAAA\"}", curl("UnaryCall", "{\"responseSize\": 3, \"payload\": \"AAAA\"}"));
    assertEquals(314_159 * 4 / 3, curl("UnaryCall", "{\"responseSize\": 314159}").messages().length(), 20);
    assertAnswer("{\"aggregatedSize\":9}", curl("StreamingInputCall", "{\"payload\": \"AAAA\"}{\"payload\": \"AAAAAAAA\"}"));
    String asked = "{\"responseParameters\": [{\"size\": 3}, {\"size\": 6}]}";
    String answered = "{\"payload\":\"AAAA\"}{\"payload\":\"AAAAAAAA\"}";
    assertAnswer(answered, curl("StreamingOutputCall", asked));
    assertAnswer(answered + answered, curl("FullDuplexCall", asked + asked));

    Said metadata = curl("UnaryCall", "{}", "--verbose", "--header", InteropServer.INITIAL + ": first", "--header",
      InteropServer.TRAILING + ": q6ur");
    assertEquals(0, metadata.status, metadata.err);
    // buf marks received entries by < and the number of the call: it has requested the service's description first.
    for (String entry : List.of(InteropServer.INITIAL + ": first", InteropServer.TRAILING + ": q6ur")) {
      assertTrue(metadata.err.toLowerCase(Locale.ROOT).contains("< (#2) " + entry), metadata.err);
    }

    Said words = curl("UnaryCall", "{\"responseStatus\": {\"code\": 2, \"message\": \"\\t\\nUnicode \\u263a\"}}");
    assertFailed(GrpcStatus.UNKNOWN, words);
    assertTrue(words.err.contains("\"message\": \"\\t\\nUnicode ☺\""), words.err);
    assertFailed(GrpcStatus.UNIMPLEMENTED, curl("UnimplementedCall", "{}"));
    detailed();
    Said details = curl("EmptyCall", "{}");
    assertFailed(GrpcStatus.NOT_FOUND, details);
    assertTrue(details.err.contains(DETAIL.getDescriptorForType().getFullName()) && details.err.contains(base64(DETAIL.toByteString())),
      details.err);
    assertDeadline();
  }

  private static String base64(ByteString bytes) {
    return Base64.getEncoder().withoutPadding().encodeToString(bytes.toByteArray());
  }

  private void detailed() {
    ByteString status = UnknownFieldSet.newBuilder()
      .mergeVarintField(1, GrpcStatus.NOT_FOUND.code)
      .mergeLengthDelimitedField(2, ByteString.copyFromUtf8("no"))
      .mergeLengthDelimitedField(3, Any.pack(DETAIL).toByteString())
      .build().toByteString();
    server.callHandler(InteropGrpcService.EmptyCall, call -> {
      call.response().trailers().set("grpc-status-details-bin", base64(status));
      call.response().status(GrpcStatus.NOT_FOUND).statusMessage("no").end();
    });
  }

  /** A client that learns the service first may have no time left for the call. */
  private void assertDeadline() throws Exception {
    BlockingQueue<Long> left = new LinkedBlockingQueue<>();
    server.callHandler(InteropGrpcService.UnimplementedCall, call -> left.add(call.timeout()));
    int seconds = 1;
    do {
      assertFailed(GrpcStatus.DEADLINE_EXCEEDED, curl("UnimplementedCall", "{}", "--timeout", seconds + "s"));
      seconds *= 2;
    } while (left.isEmpty() && seconds < 60);
    long millis = left.remove();
    assertTrue(millis > 0 && millis < TimeUnit.SECONDS.toMillis(seconds), millis + " ms");
  }
}
