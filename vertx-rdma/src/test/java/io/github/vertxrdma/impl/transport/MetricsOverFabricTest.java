package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.awaitOnContext;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpClientConfig;
import io.vertx.core.net.TcpServerConfig;
import io.vertx.core.spi.metrics.TransportMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class MetricsOverFabricTest {
  private static final int SIZE = 100_000;

  @TempDir
  Path folder;
  private StackSettings settings;

  @BeforeEach
  void start() throws Exception {
    settings = new StackSettings(folder, StackSettings.options(folder, "nio"));
  }

  @AfterEach
  void stop() {
    settings.close();
  }

  private static final class Counting implements VertxMetrics {
    private final Map<String, Long> counts = new ConcurrentHashMap<>();

    @Override
    public TransportMetrics<?> createTcpServerMetrics(TcpServerConfig config, String protocol, SocketAddress localAddress) {
      return new Connections("server", counts);
    }

    @Override
    public TransportMetrics<?> createTcpClientMetrics(TcpClientConfig config, String protocol) {
      return new Connections("client", counts);
    }
  }

  private record Connections(String side, Map<String, Long> counts) implements TransportMetrics<String> {

    private void count(String what, long n) {
      counts.merge(side + " " + what, n, Long::sum);
    }

    @Override
    public String connected(SocketAddress remoteAddress, String remoteName) {
      count("connected", 1);
      return side;
    }

    @Override
    public void disconnected(String connection, SocketAddress remoteAddress) {
      assertEquals(side, connection);
      count("disconnected", 1);
    }

    @Override
    public void bytesRead(String connection, SocketAddress remoteAddress, long numberOfBytes) {
      count("read", numberOfBytes);
    }

    @Override
    public void bytesWritten(String connection, SocketAddress remoteAddress, long numberOfBytes) {
      count("written", numberOfBytes);
    }
  }

  private interface Exchange {
    void run(Vertx vertx) throws Exception;
  }

  /** Vert.x counts the rest of a connection at its end: the counts are read when its event loops have closed. */
  private static Map<String, Long> counted(Exchange exchange) throws Exception {
    var metrics = new Counting();
    Vertx vertx = Vertx.builder().with(new VertxOptions().setMetricsOptions(new MetricsOptions().setEnabled(true)))
      .withMetrics(options -> metrics).build();
    try {
      exchange.run(vertx);
    } finally {
      await(vertx.close());
    }
    return new TreeMap<>(metrics.counts);
  }

  private static Map<String, Long> net(SocketAddress address) throws Exception {
    return counted(vertx -> {
      await(vertx.createNetServer().connectHandler(s -> s.handler(s::write)).listen(address));
      var client = vertx.createNetClient();
      NetSocket socket = await(client.connect(address));
      Promise<Void> all = Promise.promise();
      int[] got = new int[1];
      socket.handler(b -> {
        got[0] += b.length();
        if (got[0] == SIZE) {
          all.complete();
        }
      });
      socket.write(Buffer.buffer(new byte[SIZE]));
      await(all.future());
      await(client.close());
    });
  }

  private static Map<String, Long> http(SocketAddress address, int port) throws Exception {
    return counted(vertx -> {
      await(vertx.createHttpServer().requestHandler(r -> r.body().onSuccess(b -> r.response().end(b))).listen(address));
      var client = vertx.createHttpClient();
      var options = new RequestOptions().setMethod(HttpMethod.POST).setServer(address).setHost("127.0.0.1").setPort(port);
      Buffer body = awaitOnContext(vertx, () -> client.request(options)
        .compose(r -> r.send(Buffer.buffer(new byte[SIZE]))).compose(HttpClientResponse::body));
      assertEquals(SIZE, body.length());
      await(client.close());
    });
  }

  @Test
  void netMetricsAreThoseOfTcp() throws Exception {
    long channels = TransportCounters.PROCESS.channels();
    Map<String, Long> tcp = net(SocketAddress.inetSocketAddress(StackSettings.freePort(), "127.0.0.1"));
    assertEquals(channels, TransportCounters.PROCESS.channels());
    Map<String, Long> fabric = net(Rdma.address("127.0.0.1", StackSettings.freePort()));
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
    assertEquals(tcp, fabric);
    assertEquals(SIZE, fabric.get("server read"));
    assertEquals(SIZE, fabric.get("client written"));
    assertEquals(1, fabric.get("server connected"));
    assertEquals(1, fabric.get("server disconnected"));
  }

  @Test
  void httpMetricsAreThoseOfTcp() throws Exception {
    int port = StackSettings.freePort();
    Map<String, Long> tcp = http(SocketAddress.inetSocketAddress(port, "127.0.0.1"), port);
    long channels = TransportCounters.PROCESS.channels();
    Map<String, Long> fabric = http(Rdma.address("127.0.0.1", port), port);
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
    assertEquals(tcp, fabric);
  }
}
