package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.streams.ReadStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class NetOverFabricTest {
  @TempDir
  Path folder;
  private StackSettings settings;
  Vertx server;
  private final List<Object> kept = new ArrayList<>();
  Vertx client;
  private long channels;
  private long fallbacks;

  RdmaOptions options() {
    return StackSettings.options(folder, StackSettings.fabric());
  }

  Vertx newVertx() {
    return Vertx.vertx();
  }

  /** A client without references closes its connections. */
  <T> T keep(T client) {
    kept.add(client);
    return client;
  }

  @BeforeEach
  void start() throws Exception {
    settings = new StackSettings(folder, options());
    System.setProperty(TransportOptions.STREAMS, "all");
    server = newVertx();
    client = newVertx();
    channels = TransportCounters.PROCESS.channels();
    fallbacks = TransportCounters.PROCESS.fallbacks();
  }

  @AfterEach
  void stop() throws Exception {
    await(client.close());
    await(server.close());
    settings.close();
    assertEquals(fallbacks, TransportCounters.PROCESS.fallbacks(), "connections took TCP");
    assertTrue(TransportCounters.PROCESS.channels() > channels, "nothing went over the fabric");
  }

  private static byte[] random(int size) {
    return Pattern.bytes(size, size);
  }

  @Test
  void theFirstConnectionOfAnApplicationTakesTheFabric() throws Exception {
    NetServer echo = await(server.createNetServer().connectHandler(s -> s.handler(s::write)).listen(0, "127.0.0.1"));
    Vertx other = newVertx();
    try {
      NetClient first = other.createNetClient();
      await(first.connect(echo.actualPort(), "localhost"));
      until("both ends count the connection", () -> TransportCounters.PROCESS.channels() == channels + 2);
      await(first.close());
    } finally {
      await(other.close());
    }
  }

  @Test
  void echoesOfAllSizesComeBackWhole() throws Exception {
    NetServer echo = await(server.createNetServer().connectHandler(s -> s.handler(s::write)).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(client, options(), echo.actualPort());
    NetSocket socket = await(keep(client.createNetClient()).connect(echo.actualPort(), "127.0.0.1"));
    for (int size : new int[] {1, 100, 4096, 16 << 10, 300_000, 3 << 20}) {
      byte[] sent = random(size);
      Buffer got = Buffer.buffer();
      Promise<Void> all = Promise.promise();
      socket.handler(b -> {
        got.appendBuffer(b);
        if (got.length() == size) {
          all.complete();
        }
      });
      await(socket.write(Buffer.buffer(sent)));
      await(all.future());
      assertEquals(Buffer.buffer(sent), got);
    }
    assertEquals("127.0.0.1", socket.remoteAddress().hostAddress());
    assertEquals(echo.actualPort(), socket.remoteAddress().port());
    await(socket.close());
  }

  @Test
  void bothEndsCallTheConnectionTheSame() throws Exception {
    Promise<NetSocket> accepted = Promise.promise();
    NetServer echo = await(server.createNetServer().connectHandler(accepted::tryComplete).listen(0, "0.0.0.0"));
    StackSettings.awaitServer(client, options(), echo.actualPort());
    NetSocket socket = await(keep(client.createNetClient()).connect(echo.actualPort(), "127.0.0.1"));
    NetSocket peer = await(accepted.future());
    assertEquals(socket.localAddress(), peer.remoteAddress());
    assertEquals("127.0.0.1", peer.remoteAddress().hostAddress());
    assertEquals(socket.remoteAddress().port(), peer.localAddress().port());
  }

  @Test
  void aSlowReaderHoldsTheWriterBack() throws Exception {
    Promise<NetSocket> accepted = Promise.promise();
    NetServer slow = await(server.createNetServer().connectHandler(s -> {
      s.pause();
      accepted.complete(s);
    }).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(client, options(), slow.actualPort());
    NetSocket socket = await(keep(client.createNetClient()).connect(slow.actualPort(), "127.0.0.1"));
    Promise<Void> drained = Promise.promise();
    socket.drainHandler(v -> drained.tryComplete());
    Buffer chunk = Buffer.buffer(random(64 << 10));
    int written = 0;
    while (!socket.writeQueueFull()) {
      socket.write(chunk);
      written += chunk.length();
      await(client.timer(1, TimeUnit.MILLISECONDS));
      assertTrue(written < 64 << 20, "the writer was never held back");
    }
    int total = written;
    Promise<Void> all = Promise.promise();
    NetSocket peer = await(accepted.future());
    int[] got = new int[1];
    peer.handler(b -> {
      got[0] += b.length();
      if (got[0] == total) {
        all.complete();
      }
    });
    peer.resume();
    await(drained.future());
    await(all.future());
  }

  /** Writes one buffer repeatedly with another content, each time when the write before has completed. */
  private static void writeRefilled(NetSocket socket, Buffer buffer, int number, int rounds, Promise<Void> done) {
    if (number == rounds) {
      done.complete();
      return;
    }
    byte[] bytes = new byte[buffer.length()];
    Arrays.fill(bytes, (byte) number);
    socket.write(buffer.setBytes(0, bytes))
      .onSuccess(v -> writeRefilled(socket, buffer, number + 1, rounds, done)).onFailure(done::fail);
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 5_000, 60_000, 100_000, 1_000_000})
  void bufferCanBeRefilledWhenItsWriteHasCompleted(int size) throws Exception {
    int rounds = 200;
    Promise<Integer> wrong = Promise.promise();
    NetServer late = await(server.createNetServer().connectHandler(s -> {
      long[] read = new long[1];
      int[] different = new int[1];
      s.pause();
      server.setTimer(200, t -> s.resume());
      s.handler(b -> {
        for (byte each : b.getBytes()) {
          if (each != (byte) (read[0]++ / size)) {
            different[0]++;
          }
        }
        if (read[0] == (long) size * rounds) {
          wrong.complete(different[0]);
        }
      });
    }).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(client, options(), late.actualPort());
    NetSocket socket = await(keep(client.createNetClient()).connect(late.actualPort(), "127.0.0.1"));
    Promise<Void> written = Promise.promise();
    client.runOnContext(v -> writeRefilled(socket, Buffer.buffer(new byte[size]), 0, rounds, written));
    await(written.future());
    assertEquals(0, await(wrong.future()), "wrong bytes");
  }

  private static Future<Buffer> appending(ReadStream<Buffer> stream) {
    Promise<Buffer> all = Promise.promise();
    Buffer got = Buffer.buffer();
    stream.exceptionHandler(all::tryFail);
    stream.handler(chunk -> {
      int length = chunk.length();
      try {
        chunk.appendBuffer(Buffer.buffer("more")).appendBuffer(Buffer.buffer("and more"));
      } catch (RuntimeException e) {
        all.tryFail(e);
      }
      got.appendBuffer(chunk.slice(0, length));
    });
    stream.endHandler(v -> all.tryComplete(got));
    return all.future();
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1000, 100_000})
  void receivedBuffersCanBeAppendedTo(int size) throws Exception {
    Promise<Buffer> got = Promise.promise();
    NetServer sink = await(server.createNetServer().connectHandler(s -> appending(s).onComplete(got)).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(client, options(), sink.actualPort());
    NetSocket socket = await(keep(client.createNetClient()).connect(sink.actualPort(), "127.0.0.1"));
    Buffer sent = Buffer.buffer(random(size));
    socket.write(sent);
    await(socket.end());
    assertEquals(sent, await(got.future()));
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 1000, 3_000_000})
  void buffersReceivedByHttpCanBeAppendedTo(int size) throws Exception {
    int port = await(server.createHttpServer().requestHandler(r -> appending(r).onSuccess(b -> r.response().end(b))
      .onFailure(e -> r.response().setStatusCode(500).end(e.toString()))).listen(0, "127.0.0.1")).actualPort();
    StackSettings.awaitServer(client, options(), port);
    Buffer sent = Buffer.buffer(random(size));
    HttpClient requests = keep(client.createHttpClient());
    Buffer got = awaitOnContext(client, () -> requests.request(HttpMethod.POST, port, "127.0.0.1", "/")
      .compose(r -> r.send(sent)).compose(NetOverFabricTest::appending));
    assertEquals(sent, got);
  }
}
