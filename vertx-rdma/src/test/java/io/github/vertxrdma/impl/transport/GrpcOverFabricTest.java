package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.grpc.client.GrpcClient;
import io.vertx.grpc.client.GrpcClientRequest;
import io.vertx.grpc.client.GrpcClientResponse;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerRequest;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.CsvSource;

@ParameterizedClass(name = "{0}, by {1}, {2}")
@CsvSource({"nio, rule, plain", "tcp, address, tls", "shm, address, plain"})
@Timeout(120)
class GrpcOverFabricTest {
  private static final ServiceName ECHO = ServiceName.create("vertxrdma.test.Echo");
  private static final int MESSAGE = 16 << 10;
  private static final int MESSAGES = 100;
  /** More than fits into the windows of HTTP/2, and the queues of both ends. */
  private static final int FILLS_IT = 6 << 20;
  @TempDir
  static Path keys;
  private static PfxOptions key;

  @TempDir
  Path folder;
  @Parameter(0)
  String fabric;
  @Parameter(1)
  String way;
  @Parameter(2)
  String security;
  private StackSettings settings;
  private Vertx server;
  private Vertx client;
  private GrpcServer calls;
  private GrpcClient caller;
  private SocketAddress address;
  private long channels;
  private long bytes;
  private long fallbacks;

  @BeforeAll
  static void makeKey() throws Exception {
    key = StackSettings.key(keys);
  }

  @BeforeEach
  void start() throws Exception {
    fallbacks = TransportCounters.PROCESS.fallbacks();
    boolean tls = security.equals("tls");
    RdmaOptions options = StackSettings.options(folder, fabric).setRequireEncryption(tls);
    settings = new StackSettings(folder, options);
    if (way.equals("rule")) {
      System.setProperty(TransportOptions.STREAMS, "all");
    }
    server = Vertx.vertx();
    client = Vertx.vertx();
    try {
      await(Rdma.create(client, options).directory());
    } catch (ExecutionException e) {
      Assumptions.assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == RdmaException.Reason.UNSUPPORTED,
        e.getCause().getMessage());
      throw e;
    }
    await(client.createNetServer().connectHandler(NetSocket::close).listen(0, "127.0.0.1"));
    HttpServerOptions http = new HttpServerOptions();
    HttpClientOptions http2 = new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
    if (tls) {
      http.setSsl(true).setUseAlpn(true).setKeyCertOptions(key);
      http2.setSsl(true).setUseAlpn(true).setTrustAll(true).setVerifyHost(false);
    }
    calls = GrpcServer.server(server);
    caller = GrpcClient.client(client, http2);
    int port = StackSettings.freePort();
    address = way.equals("rule") ? SocketAddress.inetSocketAddress(port, "127.0.0.1") : Rdma.address("127.0.0.1", port);
    await(server.createHttpServer(http).requestHandler(calls).listen(address));
    if (way.equals("rule")) {
      StackSettings.awaitServer(client, options, port);
    }
    channels = TransportCounters.PROCESS.channels();
    bytes = TransportCounters.PROCESS.bytes();
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
    settings.close();
    assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks(), "connections took TCP");
  }

  private void assertOverFabric(long said) {
    assertTrue(TransportCounters.PROCESS.channels() - channels >= 2, "nothing went over the fabric");
    long passed = TransportCounters.PROCESS.bytes() - bytes;
    assertTrue(passed >= 2 * said, passed + " bytes went over the fabric, sent and received, where " + said + " were said");
  }

  private void serve(String method, Consumer<GrpcServerRequest<Buffer, Buffer>> handler) {
    calls.callHandler(ServiceMethod.server(ECHO, method, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY), handler::accept);
  }

  private Future<GrpcClientRequest<Buffer, Buffer>> call(String method) {
    return caller.request(address, ServiceMethod.client(ECHO, method, GrpcMessageEncoder.IDENTITY, GrpcMessageDecoder.IDENTITY));
  }

  private static Buffer message(int place) {
    return Buffer.buffer(new byte[MESSAGE]).setInt(0, place).setInt(MESSAGE - 4, ~place);
  }

  private static void check(Buffer message, int place) {
    assertEquals(MESSAGE, message.length());
    assertEquals(place, message.getInt(0));
    assertEquals(~place, message.getInt(MESSAGE - 4));
  }

  @Test
  void aCallIsAnswered() throws Exception {
    serve("Unary", request -> request.last().onSuccess(body -> request.response().end(body)));
    int said = 0;
    for (int size : new int[] {0, 1, 1000, 200_000}) {
      Buffer body = Buffer.buffer(new byte[size]);
      assertEquals(body, await(call("Unary").compose(request -> request.send(body).compose(GrpcClientResponse::last))));
      said += 2 * size;
    }
    assertOverFabric(said);
  }

  @Test
  void bothWaysAtOnceWithBackPressure() throws Exception {
    Promise<GrpcServerRequest<Buffer, Buffer>> begun = Promise.promise();
    serve("Chat", request -> {
      request.pause();
      request.pipeTo(request.response());
      request.pause();
      begun.complete(request);
    });
    GrpcClientRequest<Buffer, Buffer> request = await(call("Chat"));
    int written = 0;
    while (!request.writeQueueFull()) {
      assertTrue(written < FILLS_IT / MESSAGE, "the writer was never held back");
      request.write(message(written++));
      await(client.timer(1, TimeUnit.MILLISECONDS));
    }
    Promise<Void> all = Promise.promise();
    AtomicInteger got = new AtomicInteger();
    request.response().onFailure(all::tryFail).onSuccess(response -> response.exceptionHandler(all::tryFail)
      .endHandler(v -> all.tryComplete())
      .handler(message -> {
        try {
          check(message, got.getAndIncrement());
        } catch (AssertionError e) {
          all.tryFail(e);
        }
      }));
    GrpcServerRequest<Buffer, Buffer> asked = await(begun.future());
    asked.resume();
    until("the writer may go on", () -> !request.writeQueueFull());
    int total = written + MESSAGES;
    while (written < total) {
      await(request.write(message(written++)));
    }
    request.end();
    await(all.future());
    assertEquals(total, got.get());
    assertOverFabric(2L * total * MESSAGE);
  }
}
