package io.github.vertxrdma.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.protobuf.ByteString;
import io.github.vertxrdma.grpc.interop.EchoStatus;
import io.github.vertxrdma.grpc.interop.InteropGrpcClient;
import io.github.vertxrdma.grpc.interop.Nothing;
import io.github.vertxrdma.grpc.interop.ResponseParameters;
import io.github.vertxrdma.grpc.interop.SimpleRequest;
import io.github.vertxrdma.grpc.interop.SimpleResponse;
import io.github.vertxrdma.grpc.interop.StreamingInputRequest;
import io.github.vertxrdma.grpc.interop.StreamingInputResponse;
import io.github.vertxrdma.grpc.interop.StreamingOutputRequest;
import io.github.vertxrdma.grpc.interop.StreamingOutputResponse;
import io.github.vertxrdma.grpc.interop.UnimplementedServiceGrpcClient;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.streams.ReadStream;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.WireFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** gRPC's interoperability tests, by their names, with stubs that Vert.x generates. */
@OverFabrics({"memory", "shm", "verbs:nic"})
@Timeout(120)
class InteropTest extends FabricNodes {
  private static final int[] REQUESTS = {27_182, 8, 1_828, 45_904};
  private static final int[] ANSWERS = {31_415, 9, 2_653, 58_979};
  private static final String WORDS = "\t\ntest with whitespace\r\nand Unicode BMP ☺ and non-BMP 😈\t\n";

  private Node calling;
  private RdmaGrpcClient client;
  private InteropGrpcClient stub;

  @BeforeEach
  void start() throws Exception {
    Node serving = node();
    RdmaGrpcServer server = server(serving, new RdmaGrpcServerOptions());
    server.addService(new InteropServer());
    InteropServer.withMetadata(server);
    await(server.listen(NAME));
    calling = node();
    client = client(calling, new RdmaGrpcClientOptions());
    stub = InteropGrpcClient.create(client, RdmaGrpcClient.address(NAME));
  }

  /** Makes a call on a context of Vert.x, since the test's thread might set handlers too late, and waits for the end. */
  private <T> void awaitAnswers(Supplier<Future<ReadStream<T>>> call, Handler<T> handler) throws Exception {
    Promise<Void> over = Promise.promise();
    calling.vertx().runOnContext(v -> call.get().onFailure(over::tryFail).onSuccess(stream -> stream.handler(handler)
      .exceptionHandler(over::tryFail).endHandler(over::tryComplete)));
    await(over.future());
  }

  private static ByteString bytes(int size) {
    return ByteString.copyFrom(new byte[size]);
  }

  private static StreamingOutputRequest asks(int request, int answer) {
    return StreamingOutputRequest.newBuilder().setPayload(bytes(request))
      .addResponseParameters(ResponseParameters.newBuilder().setSize(answer))
      .build();
  }

  @Test
  void emptyUnary() throws Exception {
    assertEquals(Nothing.getDefaultInstance(), await(stub.emptyCall(Nothing.getDefaultInstance())));
  }

  @Test
  void largeUnary() throws Exception {
    SimpleRequest request = SimpleRequest.newBuilder().setResponseSize(314_159).setPayload(bytes(271_828)).build();
    assertEquals(314_159, await(stub.unaryCall(request)).getPayload().size());
  }

  @Test
  void unaryInJson() throws Exception {
    InteropGrpcClient json = InteropGrpcClient.create(client, RdmaGrpcClient.address(NAME), WireFormat.JSON);
    SimpleRequest request = SimpleRequest.newBuilder().setResponseSize(31_415).setPayload(bytes(27_182)).build();
    assertEquals(bytes(31_415), await(json.unaryCall(request)).getPayload());
  }

  @Test
  void clientStreaming() throws Exception {
    assertEquals(74_922, await(stub.streamingInputCall((stream, cause) -> {
      for (int size : REQUESTS) {
        stream.write(StreamingInputRequest.newBuilder().setPayload(bytes(size)).build());
      }
      stream.end();
    })).getAggregatedSize());
  }

  @Test
  void serverStreaming() throws Exception {
    StreamingOutputRequest.Builder request = StreamingOutputRequest.newBuilder();
    for (int size : ANSWERS) {
      request.addResponseParameters(ResponseParameters.newBuilder().setSize(size));
    }
    List<Integer> sizes = new ArrayList<>();
    awaitAnswers(() -> stub.streamingOutputCall(request.build()), answer -> sizes.add(answer.getPayload().size()));
    assertEquals(List.of(31_415, 9, 2_653, 58_979), sizes);
  }

  @Test
  void pingPong() throws Exception {
    List<Integer> sizes = new ArrayList<>();
    Promise<Void> over = Promise.promise();
    GrpcClientRequest<StreamingOutputRequest, StreamingOutputResponse> request = await(client.request(InteropGrpcClient.FullDuplexCall));
    request.response().onFailure(over::tryFail).onSuccess(response -> response.exceptionHandler(over::tryFail).endHandler(over::tryComplete)
      .handler(answer -> {
        sizes.add(answer.getPayload().size());
        if (sizes.size() == REQUESTS.length) {
          request.end();
        } else {
          request.write(asks(REQUESTS[sizes.size()], ANSWERS[sizes.size()]));
        }
      }));
    request.write(asks(REQUESTS[0], ANSWERS[0]));
    await(over.future());
    assertEquals(List.of(31_415, 9, 2_653, 58_979), sizes);
  }

  @Test
  void emptyStream() throws Exception {
    List<StreamingOutputResponse> answers = new ArrayList<>();
    awaitAnswers(() -> stub.fullDuplexCall((stream, cause) -> stream.end()), answers::add);
    assertEquals(List.of(), answers);
  }

  @Test
  void cancelAfterBegin() throws Exception {
    GrpcClientRequest<StreamingInputRequest, StreamingInputResponse> request = await(client.request(InteropGrpcClient.StreamingInputCall));
    request.headers().set("x", "y");
    request.write(StreamingInputRequest.getDefaultInstance());
    request.cancel();
    assertFails(GrpcStatus.CANCELLED, request.response());
  }

  @Test
  void cancelAfterFirstResponse() throws Exception {
    GrpcClientRequest<StreamingOutputRequest, StreamingOutputResponse> request = await(client.request(InteropGrpcClient.FullDuplexCall));
    Promise<Void> first = Promise.promise();
    Future<GrpcClientResponse<StreamingOutputRequest, StreamingOutputResponse>> response = request.response()
      .onSuccess(answered -> answered.handler(answer -> first.tryComplete()));
    request.write(asks(REQUESTS[0], ANSWERS[0]));
    await(first.future());
    request.cancel();
    assertFails(GrpcStatus.CANCELLED, await(response).end());
    assertEquals(Nothing.getDefaultInstance(), await(stub.emptyCall(Nothing.getDefaultInstance())));
  }

  @Test
  void timeoutOnSleepingServer() throws Exception {
    GrpcClientRequest<StreamingOutputRequest, StreamingOutputResponse> request = await(client.request(InteropGrpcClient.FullDuplexCall));
    request.timeout(1, TimeUnit.MILLISECONDS);
    request.write(StreamingOutputRequest.newBuilder().setPayload(bytes(27_182)).build());
    Throwable failure = failure(request.response().compose(GrpcClientResponse::end));
    assertEquals(true, failure.toString().contains(GrpcStatus.DEADLINE_EXCEEDED.name()), failure.toString());
  }

  @Test
  void customMetadata() throws Exception {
    GrpcClientRequest<SimpleRequest, SimpleResponse> unary = await(client.request(InteropGrpcClient.UnaryCall));
    metadata(unary);
    GrpcClientResponse<SimpleRequest, SimpleResponse> response = await(
      unary.send(SimpleRequest.newBuilder().setResponseSize(314_159).build()));
    assertEquals(314_159, await(response.last()).getPayload().size());
    assertMetadata(response);

    GrpcClientRequest<StreamingOutputRequest, StreamingOutputResponse> duplex = await(client.request(InteropGrpcClient.FullDuplexCall));
    metadata(duplex);
    duplex.end(asks(REQUESTS[0], ANSWERS[0]));
    GrpcClientResponse<StreamingOutputRequest, StreamingOutputResponse> stream = await(duplex.response());
    await(stream.end());
    assertMetadata(stream);
  }

  private static void metadata(GrpcClientRequest<?, ?> request) {
    request.headers().set(InteropServer.INITIAL, "test_initial_metadata_value").set(InteropServer.TRAILING, "q6ur");
  }

  private static void assertMetadata(GrpcClientResponse<?, ?> response) {
    assertEquals("test_initial_metadata_value", response.headers().get(InteropServer.INITIAL));
    assertEquals("q6ur", response.trailers().get(InteropServer.TRAILING));
  }

  @Test
  void statusCodeAndMessage() throws Exception {
    EchoStatus status = EchoStatus.newBuilder().setCode(GrpcStatus.UNKNOWN.code).setMessage("test status message").build();
    GrpcClientRequest<SimpleRequest, SimpleResponse> unary = await(client.request(InteropGrpcClient.UnaryCall));
    assertStatus("test status message", await(unary.send(SimpleRequest.newBuilder().setResponseStatus(status).build())));
    GrpcClientRequest<StreamingOutputRequest, StreamingOutputResponse> duplex = await(client.request(InteropGrpcClient.FullDuplexCall));
    duplex.end(StreamingOutputRequest.newBuilder().setResponseStatus(status).build());
    assertStatus("test status message", await(duplex.response()));
  }

  private static void assertStatus(String words, GrpcClientResponse<?, ?> response) {
    assertStatus(GrpcStatus.UNKNOWN, response.end());
    assertEquals(GrpcStatus.UNKNOWN, response.status());
    assertEquals(words, response.statusMessage());
  }

  @Test
  void specialStatusMessage() throws Exception {
    GrpcClientRequest<SimpleRequest, SimpleResponse> unary = await(client.request(InteropGrpcClient.UnaryCall));
    EchoStatus status = EchoStatus.newBuilder().setCode(GrpcStatus.UNKNOWN.code).setMessage(WORDS).build();
    assertStatus(WORDS, await(unary.send(SimpleRequest.newBuilder().setResponseStatus(status).build())));
  }

  @Test
  void unimplementedMethod() throws Exception {
    assertStatus(GrpcStatus.UNIMPLEMENTED, stub.unimplementedCall(Nothing.getDefaultInstance()));
  }

  @Test
  void unimplementedService() throws Exception {
    UnimplementedServiceGrpcClient unknown = UnimplementedServiceGrpcClient.create(client, RdmaGrpcClient.address(NAME));
    assertStatus(GrpcStatus.UNIMPLEMENTED, unknown.unimplementedCall(Nothing.getDefaultInstance()));
    GrpcClientResponse<SimpleRequest, SimpleResponse> response = await(await(client.request(InteropGrpcClient.UnaryCall))
      .send(SimpleRequest.getDefaultInstance()));
    await(response.end());
    assertNull(response.statusMessage());
  }
}
