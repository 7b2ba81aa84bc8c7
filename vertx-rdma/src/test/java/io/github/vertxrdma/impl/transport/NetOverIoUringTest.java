package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.contract.Devices;
import io.netty.channel.uring.IoUringSocketChannel;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.transport.Transport;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class NetOverIoUringTest extends NetOverFabricTest {
  @BeforeAll
  static void needIoUring() {
    assumeTrue(Transport.IO_URING != null && Transport.IO_URING.available(), "io_uring is not available here");
    Devices.require("shm");
  }

  @Override
  RdmaOptions options() {
    return StackSettings.options(folder, "shm");
  }

  @Override
  Vertx newVertx() {
    return Vertx.builder().withTransport(Transport.IO_URING).build();
  }

  @Test
  void connectionToForeignServerKeepsIoUringBesideOneOverTheFabric() throws Exception {
    NetServer echo = await(server.createNetServer().connectHandler(s -> s.handler(s::write)).listen(0, "127.0.0.1"));
    StackSettings.awaitServer(client, options(), echo.actualPort());
    await(keep(client.createNetClient()).connect(echo.actualPort(), "127.0.0.1"));
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      NetSocket socket = await(keep(client.createNetClient()).connect(server.getLocalPort(), "127.0.0.1"));
      assertEquals(IoUringSocketChannel.class, ((NetSocketInternal) socket).channelHandlerContext().channel().getClass());
      try (Socket peer = server.accept()) {
        Promise<Buffer> read = Promise.promise();
        socket.handler(read::complete);
        await(socket.write("to you"));
        assertEquals("to you", new String(peer.getInputStream().readNBytes(6)));
        peer.getOutputStream().write("to me".getBytes());
        assertEquals("to me", await(read.future()).toString());
      }
    }
  }
}
