package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StreamOverTcpTest {
  private static final int CHUNK = 64 << 10;
  private static final int CHUNKS = 512;

  private MultiThreadIoEventLoopGroup group;
  private ServerSocket server;
  private Socket peer;
  private RdmaChannel channel;

  @BeforeEach
  void listen() throws IOException {
    group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
    if (peer != null) {
      peer.close();
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void connect(int closeIdleMillis) throws Exception {
    Channel connected = new Bootstrap().group((EventLoop) group.next()).handler(new ChannelInboundHandlerAdapter())
      .channelFactory(() -> new RdmaChannel(
        (made, remote, local) -> TcpStream.open(made.eventLoop(), NioSocketChannel::new, Map.of(), closeIdleMillis)
          .compose(stream -> stream.connect(remote, local)),
        false))
      .connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), server.getLocalPort())).sync().channel();
    channel = (RdmaChannel) connected;
    peer = server.accept();
  }

  private List<ChannelFuture> write() throws Exception {
    return group.submit(() -> {
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < CHUNKS; i++) {
        writes.add(channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[CHUNK])));
      }
      return writes;
    }).get();
  }

  private void assertAllArrives(List<ChannelFuture> writes, ChannelFuture end) throws Exception {
    long read = peer.getInputStream().transferTo(OutputStream.nullOutputStream());
    assertTrue(end.await(20, TimeUnit.SECONDS));
    for (ChannelFuture write : writes) {
      assertTrue(write.await(20, TimeUnit.SECONDS));
    }
    assertEquals((long) CHUNKS * CHUNK, read);
    assertTrue(writes.stream().allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void bufferCanBeRefilledWhenItsWriteHasCompleted() throws Exception {
    connect(60_000);
    byte[] bytes = new byte[CHUNK];
    CompletableFuture<Void> reader = CompletableFuture.runAsync(() -> {
      for (int i = 0; i < CHUNKS; i++) {
        byte[] expected = new byte[CHUNK];
        Arrays.fill(expected, (byte) i);
        assertArrayEquals(expected, assertDoesNotThrow(() -> peer.getInputStream().readNBytes(CHUNK)));
      }
    });
    for (int i = 0; i < CHUNKS; i++) {
      Arrays.fill(bytes, (byte) i);
      channel.writeAndFlush(Unpooled.wrappedBuffer(bytes)).sync();
    }
    reader.get(20, TimeUnit.SECONDS);
  }

  @Test
  void closeDeliversAllFlushedWrites() throws Exception {
    connect(60_000);
    List<ChannelFuture> writes = write();
    assertAllArrives(writes, channel.close());
  }

  @Test
  void endDeliversAllFlushedWrites() throws Exception {
    connect(60_000);
    List<ChannelFuture> writes = write();
    assertAllArrives(writes, channel.shutdownOutput());
    assertTrue(channel.isActive());
  }

  @Test
  void closeGivesUpOnAPeerThatTakesNothing() throws Exception {
    connect(50);
    write();
    channel.close().sync();
    until("the peer is told", () -> {
      try {
        peer.getOutputStream().write(1);
        return false;
      } catch (IOException reset) {
        return true;
      }
    });
  }
}
