package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.AbstractVerticle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@OverFabrics({"shm", "nio"})
@Timeout(120)
class VertxCloseTest {
  private static final int KIB = 1 << 10;
  private static final int TICK_MILLIS = 10;

  private final String fabric;
  @TempDir
  Path folder;
  private StackSettings settings;
  private Vertx closing;
  private Vertx other;
  private long fallbacks;
  private NetClient client;
  private final Log log = new Log();

  VertxCloseTest(String fabric) {
    this.fabric = fabric;
  }

  private static final class Log extends Handler {
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord line) {
      // On a busy machine Vert.x may log a loop that is blocked for 2 s.
      if (line.getLevel().intValue() >= Level.WARNING.intValue() && !("" + line.getLoggerName()).endsWith(".BlockedThreadChecker")) {
        lines.add(line.getMessage());
      }
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
  }

  private RdmaOptions options() {
    return StackSettings.options(folder, fabric);
  }

  @BeforeEach
  void start() throws Exception {
    settings = new StackSettings(folder, options());
    System.setProperty(TransportOptions.STREAMS, "all");
    closing = Vertx.vertx();
    other = Vertx.vertx();
    fallbacks = TransportCounters.PROCESS.fallbacks();
    Logger.getLogger("").addHandler(log);
  }

  @AfterEach
  void stop() throws Exception {
    Logger.getLogger("").removeHandler(log);
    await(closing.close());
    await(other.close());
    settings.close();
    assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks(), "connections took TCP");
  }

  private static Future<String> request(HttpClient client, int port) {
    return client.request(HttpMethod.GET, port, "127.0.0.1", "/")
      .compose(request -> request.send().compose(HttpClientResponse::body)).map(Buffer::toString);
  }

  private static final class Draining extends VerticleBase {
    final Promise<Integer> port = Promise.promise();
    final Promise<HttpServerRequest> request = Promise.promise();
    private HttpServer server;

    @Override
    public Future<?> start() {
      server = vertx.createHttpServer().requestHandler(request::complete);
      return server.listen(0, "127.0.0.1").onSuccess(listening -> port.complete(listening.actualPort()));
    }

    @Override
    public Future<?> stop() {
      vertx.setTimer(100, id -> request.future().result().response().end("answer"));
      return server.shutdown(10, TimeUnit.SECONDS);
    }
  }

  @Test
  void requestInProgressGetsItsAnswerWhenServerOfVerticleDrains() throws Exception {
    Draining server = new Draining();
    await(closing.deployVerticle(server));
    int port = await(server.port.future());
    StackSettings.awaitServer(other, options(), port);
    long channels = TransportCounters.PROCESS.channels();
    HttpClient client = other.createHttpClient();
    Future<String> answer = request(client, port);
    await(server.request.future());
    assertTrue(TransportCounters.PROCESS.channels() > channels, "the request did not take the fabric");
    await(closing.close());
    assertEquals("answer", await(answer));
    await(client.close());
    assertEquals(List.of(), log.lines);
  }

  @Test
  @Tag("alone")
  void verticleWithIdleClientIsStoppedAtOnce() throws Exception {
    HttpServer server = await(other.createHttpServer().requestHandler(request -> request.response().end("answer")).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(closing, options(), server.actualPort());
    AtomicInteger ticks = new AtomicInteger();
    AtomicInteger stopped = new AtomicInteger();
    CompletableFuture<String> last = new CompletableFuture<>();
    await(closing.deployVerticle(new VerticleBase() {
      private HttpClient client;

      @Override
      public Future<?> start() {
        client = vertx.createHttpClient();
        return request(client, server.actualPort());
      }

      @Override
      public Future<?> stop() {
        stopped.set(ticks.get());
        return request(client, server.actualPort()).onComplete(done -> last.complete(done.succeeded() ? done.result() : "" + done.cause()));
      }
    }));
    tick(ticks);
    await(closing.close());
    assertEquals("answer", last.get());
    assertTrue(stopped.get() < 100, "stop() was called after " + stopped + " times " + TICK_MILLIS + " ms");
    assertEquals(List.of(), log.lines);
  }

  private void tick(AtomicInteger ticks) {
    other.setTimer(TICK_MILLIS, id -> {
      ticks.incrementAndGet();
      tick(ticks);
    });
  }

  @Test
  void stopMayConnectAndUseTheDirectory() throws Exception {
    NetServer echo = await(other.createNetServer().connectHandler(socket -> socket.handler(socket::write)).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(closing, options(), echo.actualPort());
    long channels = TransportCounters.PROCESS.channels();
    CompletableFuture<Buffer> echoed = new CompletableFuture<>();
    CompletableFuture<Integer> found = new CompletableFuture<>();
    await(closing.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> stop() {
        Rdma rdma = Rdma.create(vertx, options());
        client = vertx.createNetClient();
        return client.connect(echo.actualPort(), "127.0.0.1").compose(socket -> {
          Promise<Buffer> all = Promise.promise();
          socket.handler(all::tryComplete);
          return socket.write("hello").compose(v -> all.future()).onSuccess(echoed::complete);
        }).compose(v -> rdma.directory()).compose((RdmaDirectory directory) -> directory.awaitServices(
          RouteNames.of(InetAddress.getLoopbackAddress(), echo.actualPort()), Duration.ofSeconds(20)))
          .onSuccess(services -> found.complete(services.size()));
      }
    }));
    await(closing.close());
    assertEquals("hello", echoed.get(1, TimeUnit.SECONDS).toString());
    assertEquals(1, found.get(1, TimeUnit.SECONDS));
    assertTrue(TransportCounters.PROCESS.channels() > channels, "the connection did not take the fabric");
  }

  private Promise<NetSocket> connectToPausedReader(Promise<NetSocket> reader) throws Exception {
    NetServer sink = await(other.createNetServer().connectHandler(socket -> reader.complete(socket.pause())).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(closing, options(), sink.actualPort());
    Promise<NetSocket> writer = Promise.promise();
    await(closing.deployVerticle(new AbstractVerticle() {
      @Override
      public void start(Promise<Void> started) {
        client = vertx.createNetClient();
        client.connect(sink.actualPort(), "127.0.0.1").onSuccess(writer::complete).<Void>mapEmpty().onComplete(started);
      }
    }));
    return writer;
  }

  @Test
  void closeWaitsForWritesWhileReaderIsSlow() throws Exception {
    Promise<NetSocket> reader = Promise.promise();
    NetSocket writer = await(connectToPausedReader(reader).future());
    Future<Void> last = null;
    for (int i = 0; i < 100; i++) {
      last = writer.write(Buffer.buffer(new byte[100 * KIB]));
    }
    NetSocket slow = await(reader.future());
    Future<Void> closed = closing.close();
    AtomicLong read = new AtomicLong();
    Promise<Void> end = Promise.promise();
    slow.handler(bytes -> read.addAndGet(bytes.length())).endHandler(v -> end.complete());
    assertFalse(closed.isComplete());
    other.setTimer(300, id -> slow.resume());
    await(closed);
    await(end.future());
    assertTrue(last.succeeded(), "" + last.cause());
    assertEquals(100 * 100 * KIB, read.get());
    assertEquals(List.of(), log.lines);
  }

  @Test
  @Tag("alone")
  @Tag("full")
  void closeGivesUpTenSecondsAfterItsBeginAndSaysWhatIsLost() throws Exception {
    Promise<NetSocket> reader = Promise.promise();
    NetSocket writer = await(connectToPausedReader(reader).future());
    Future<Void> last = null;
    for (int i = 0; i < 100; i++) {
      last = writer.write(Buffer.buffer(new byte[100 * KIB]));
    }
    long start = System.nanoTime();
    closing.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    assertTrue(millis >= 9_900 && millis < 20_000, millis + " ms");
    assertTrue(last.failed());
    List<String> lost = log.lines.stream().filter(line -> line.startsWith("cannot deliver ")).toList();
    assertEquals(1, lost.size(), log.lines::toString);
    assertTrue(lost.getFirst().matches("cannot deliver [0-9]+ bytes of [0-9]+ writes to .* at .*127.0.0.1:.*"), lost::toString);
  }

  @Test
  void entriesAreWithdrawnWhenCloseCompletes() throws Exception {
    NetServer server = await(closing.createNetServer().connectHandler(socket -> {
    }).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(other, options(), server.actualPort());
    RdmaDirectory directory = await(Rdma.create(other, options()).directory());
    String node = directory.services(RouteNames.of(InetAddress.ofLiteral("127.0.0.1"), server.actualPort())).getFirst().nodeId();
    until("the node is known", () -> directory.node(node).isPresent());
    await(closing.close());
    until("the node is gone", () -> directory.node(node).isEmpty());
    assertEquals(List.of(), log.lines);
  }
}
