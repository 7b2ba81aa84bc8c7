package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.Await;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.InvalidStatusException;
import io.vertx.grpc.common.GrpcErrorException;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServerRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;

/** Nodes of one process over one fabric, one of which serves. */
public abstract class Nodes {
  static final ServiceName ECHO = ServiceName.create("vertxrdma.test.Echo");
  static final String NAME = "calls";

  @TempDir
  Path folder;
  private final List<Vertx> all = new ArrayList<>();

  String fabric() {
    return "memory";
  }

  Vertx vertx() {
    return Vertx.vertx();
  }

  public record Node(Vertx vertx, Rdma rdma) {
  }

  protected RdmaOptions options() {
    return new RdmaOptions().setFabric(fabric())
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.resolve("directory").toString()));
  }

  protected Node node() throws Exception {
    Vertx vertx = vertx();
    all.add(vertx);
    Rdma rdma = Rdma.create(vertx, options());
    try {
      await(rdma.directory());
    } catch (ExecutionException e) {
      Assumptions.assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == RdmaException.Reason.UNSUPPORTED,
        e.getCause().getMessage());
      throw e;
    }
    return new Node(vertx, rdma);
  }

  RdmaGrpcServer server(Node node, RdmaGrpcServerOptions options) {
    return RdmaGrpcServer.create(node.rdma, options);
  }

  RdmaGrpcClient client(Node node, RdmaGrpcClientOptions options) {
    return RdmaGrpcClient.create(node.rdma, options.setServer(NAME));
  }

  static ServiceMethod<Buffer, Buffer> method(String name) {
    return ServiceMethod.server(ECHO, name, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
  }

  static void serve(RdmaGrpcServer server, String method, Handler<GrpcServerRequest<Buffer, Buffer>> handler) {
    server.callHandler(method(method), handler);
  }

  static Future<GrpcClientRequest<Buffer, Buffer>> call(RdmaGrpcClient client, String method) {
    return client.request(clientMethod(method));
  }

  static ServiceMethod<Buffer, Buffer> clientMethod(String name) {
    return ServiceMethod.client(ECHO, name, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY);
  }

  static Future<Buffer> unary(RdmaGrpcClient client, String method, Buffer message) {
    return call(client, method).compose(request -> request.send(message)).compose(response -> response.last());
  }

  @AfterEach
  protected void closeAll() throws Exception {
    for (Vertx vertx : all) {
      await(vertx.close());
    }
  }

  protected static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  protected static Throwable failure(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  static void assertStatus(GrpcStatus status, Future<?> future) {
    Throwable failure = failure(future);
    assertEquals(status, assertInstanceOf(InvalidStatusException.class, failure, failure.toString()).actualStatus());
  }

  static void assertFails(GrpcStatus status, Future<?> future) {
    Throwable failure = failure(future);
    assertEquals(status, assertInstanceOf(GrpcErrorException.class, failure, failure.toString()).status());
  }

  protected static void until(String what, BooleanSupplier condition) {
    Await.until(what, condition);
  }
}
