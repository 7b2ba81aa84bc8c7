package io.github.vertxrdma.impl.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.HostLookup;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.net.SocketAddress;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Host names for which no name server answers. */
@Timeout(60)
class SilentNameServerTest {
  @TempDir
  Path folder;

  @Test
  void nodeWhoseOwnHostIsNotFoundFailsInTimeAndLogsThatItWaits() {
    CountDownLatch never = new CountDownLatch(1);
    HostLookup names = new HostLookup(host -> {
      try {
        never.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return InetAddress.getLoopbackAddress();
    });
    RdmaOptions options = new RdmaOptions().setConnectTimeout(Duration.ofMillis(1_500));
    try (LogLines log = new LogLines(Node.class)) {
      String message = assertThrows(UnknownHostException.class, () -> Node.host(options, "orders-0", names)).getMessage();
      assertEquals(
        "cannot find the address of this node's host 'orders-0', the host of the cluster: no name server answered within 1500 ms."
          + " Set it by RdmaOptions.setHost",
        message);
      assertEquals(List.of("Waiting at most 1500 ms for the address of this node's host 'orders-0', for which no name server has answered"
        + " yet"), log.lines());
    } finally {
      never.countDown();
    }
  }

  /** Vert.x limits one query to one server, here to more than the test waits. */
  @Test
  void connectAndListenFailInTime() throws Exception {
    try (DatagramSocket silent = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
      Vertx vertx = Vertx.vertx(new VertxOptions().setAddressResolverOptions(new AddressResolverOptions().setHostsValue(Buffer.buffer(
        "127.0.0.1 localhost\n")).addServer("127.0.0.1:" + silent.getLocalPort()).setQueryTimeout(300_000)));
      try {
        Rdma rdma = Rdma.create(vertx, new RdmaOptions().setFabric("nio").setConnectTimeout(Duration.ofMillis(500))
          .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())));
        SocketAddress address = SocketAddress.inetSocketAddress(7000, "orders.example");
        String expected = "cannot find the address of host 'orders.example': no name server answered within 500 ms";
        assertEquals(expected, assertThrows(RdmaException.class, () -> rdma.connect(address).await(30, TimeUnit.SECONDS)).getMessage());
        assertEquals(expected, assertThrows(RdmaException.class, () -> rdma.createServer().connectHandler(connection -> {
        }).listen(address).await(30, TimeUnit.SECONDS)).getMessage());
      } finally {
        vertx.close().await(20, TimeUnit.SECONDS);
      }
    }
  }
}
