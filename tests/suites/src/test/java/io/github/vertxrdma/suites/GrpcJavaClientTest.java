package io.github.vertxrdma.suites;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.grpc.RdmaGrpcClient;
import io.github.vertxrdma.grpc.RdmaGrpcClientOptions;
import io.github.vertxrdma.grpc.RdmaGrpcServer;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
@Tag("full")
class GrpcJavaClientTest {
  private static final ServiceName SERVICE = ServiceName.create("vertxrdma.test.Echo");
  private static final byte[] MESSAGE = new byte[100_000];
  private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
    @Override
    public InputStream stream(byte[] value) {
      return new ByteArrayInputStream(value);
    }

    @Override
    public byte[] parse(InputStream stream) {
      try {
        return stream.readAllBytes();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  };

  @TempDir
  Path folder;

  private static <T> T await(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  private static byte[] call(ManagedChannel channel, String method) {
    return ClientCalls.blockingUnaryCall(channel, MethodDescriptor.newBuilder(BYTES, BYTES).setType(MethodDescriptor.MethodType.UNARY)
      .setFullMethodName(SERVICE.fullyQualifiedName() + '/' + method).build(), CallOptions.DEFAULT.withDeadlineAfter(20, TimeUnit.SECONDS),
      MESSAGE);
  }

  @Test
  void bothAreServed() throws Exception {
    Vertx vertx = Vertx.vertx();
    try {
      Rdma rdma = Rdma.create(vertx,
        new RdmaOptions().setFabric("nio").setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
          .setPath(folder.toString())));
      RdmaGrpcServer server = RdmaGrpcServer.create(rdma);
      server.callHandler(ServiceMethod.server(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY),
        call -> call.handler(call.response()::end));
      await(server.listen("calls"));
      RdmaGrpcClient client = RdmaGrpcClient.create(rdma, new RdmaGrpcClientOptions().setServer("calls"));
      assertArrayEquals(MESSAGE,
        await(client.request(ServiceMethod.client(SERVICE, "Echo", GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY))
          .compose(request -> request.send(Buffer.buffer(MESSAGE))).compose(GrpcClientResponse::last)).getBytes());

      int port = await(vertx.createHttpServer().requestHandler(server).listen(0, "127.0.0.1")).actualPort();
      ManagedChannel channel = ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
      try {
        assertArrayEquals(MESSAGE, call(channel, "Echo"));
        assertEquals(Status.Code.UNIMPLEMENTED,
          assertThrows(StatusRuntimeException.class, () -> call(channel, "None")).getStatus().getCode());
      } finally {
        channel.shutdownNow().awaitTermination(20, TimeUnit.SECONDS);
      }
    } finally {
      await(vertx.close());
    }
  }
}
