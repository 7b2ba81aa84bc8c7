package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MovableStreamTest {
  private final EventLoop loop = new DefaultEventLoop();
  private final Wire tcp = new Wire();
  private final Wire fabric = new Wire();
  private final ArrayDeque<Promise<ByteStream>> attempts = new ArrayDeque<>();
  private final StringBuffer answers = new StringBuffer();
  private RdmaChannel channel;

  @AfterEach
  void stop() {
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private <T> T on(Callable<T> task) throws Exception {
    return loop.submit(task).get(20, TimeUnit.SECONDS);
  }

  private void on(Runnable task) throws Exception {
    loop.submit(task).get(20, TimeUnit.SECONDS);
  }

  private void connect() throws Exception {
    channel = (RdmaChannel) new Bootstrap().group(loop).handler(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        answers.append(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
        ((ByteBuf) message).release();
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // The exception comes before the close, which the tests check.
      }
    }).channelFactory(() -> new RdmaChannel((made, remote, local) -> Future.succeededFuture(new MovableStream(tcp, loop, () -> {
      attempts.add(Promise.promise());
      return attempts.getLast().future();
    }, made::resumeWrites)), false)).connect(Wire.REMOTE).sync().channel();
  }

  private void connected() throws Exception {
    on(() -> attempts.poll().complete(fabric));
    settled();
  }

  /** Waits for two turns of the loop, because reads and completions by other threads are tasks. */
  private void settled() throws Exception {
    for (int i = 0; i < 2; i++) {
      on(() -> {
      });
    }
  }

  private static ByteBuf message(int size) {
    return Unpooled.buffer().writeInt(size).writeZero(size);
  }

  private ChannelFuture write(int size) throws Exception {
    return on(() -> channel.writeAndFlush(message(size)));
  }

  private List<String> calls(Wire wire) throws Exception {
    return on(() -> List.copyOf(wire.calls));
  }

  @Test
  void writesGoByTcpUntilFabricIsConnectedAndWaitUntilPeerHasReadThem() throws Exception {
    connect();
    ChannelFuture before = write(100);
    assertTrue(before.isSuccess());
    connected();
    assertEquals(List.of("write 104", "end"), calls(tcp));
    ChannelFuture held = write(200);
    ChannelFuture heldToo = write(300);
    assertEquals(List.of(), calls(fabric));
    assertFalse(held.isDone() || heldToo.isDone());
    on(() -> tcp.receiver.ended());
    settled();
    assertTrue(held.isSuccess() && heldToo.isSuccess());
    assertTrue(write(400).isSuccess());
    assertEquals(List.of("write 508", "write 404"), calls(fabric));
    assertEquals(List.of("write 104", "end", "close"), calls(tcp));
    on(() -> tcp.receiver.closed(null));
    settled();
    assertTrue(channel.isActive());
  }

  @Test
  void connectionWithoutWritesMoves() throws Exception {
    connect();
    connected();
    on(() -> tcp.receiver.ended());
    assertTrue(write(100).isSuccess());
    assertEquals(List.of("write 104"), calls(fabric));
    assertEquals(List.of("end", "close"), calls(tcp));
  }

  @Test
  void answersArriveBeforeDuringAndAfterMove() throws Exception {
    connect();
    on(() -> tcp.receiver.received(Unpooled.copiedBuffer("a", StandardCharsets.US_ASCII)));
    connected();
    on(() -> {
      tcp.receiver.received(Unpooled.copiedBuffer("b", StandardCharsets.US_ASCII));
      tcp.receiver.ended();
      fabric.receiver.received(Unpooled.copiedBuffer("c", StandardCharsets.US_ASCII));
    });
    settled();
    assertEquals("abc", answers.toString());
  }

  @Test
  void largeMessageIsWholeOnEachSide() throws Exception {
    connect();
    on(() -> {
      tcp.confirming = false;
    });
    ChannelFuture large = write(5_000_000);
    connected();
    write(200_000);
    assertEquals(List.of("write 5000004", "end"), calls(tcp));
    on(() -> {
      tcp.confirm();
      tcp.receiver.ended();
    });
    assertTrue(large.isSuccess());
    assertEquals(List.of("write 65536", "write 65536", "write 65536", "write 3396"), calls(fabric));
  }

  @Test
  void connectionThatWroteOtherThanWholeMessagesStays() throws Exception {
    for (ByteBuf other : List.of(Unpooled.buffer().writeInt(100).writeZero(99), Unpooled.buffer().writeInt(100).writeZero(101),
      Unpooled.buffer().writeInt(-4), Unpooled.buffer().writeZero(3), Unpooled.buffer().writeBytes(new byte[] {0x16, 3, 1, 0, 1, 1}))) {
      connect();
      on(() -> channel.writeAndFlush(other));
      connected();
      assertTrue(write(10).isSuccess());
      assertEquals("write 14", calls(tcp).getLast());
      assertEquals(List.of("close"), calls(fabric));
      on(() -> fabric.calls.clear());
      channel.close().sync();
    }
  }

  @Test
  void fabricThatIsConnectedAfterCloseIsClosed() throws Exception {
    connect();
    channel.close().sync();
    settled();
    connected();
    assertEquals(List.of("close"), calls(tcp));
    assertEquals(List.of("close"), calls(fabric));
  }

  @Test
  void endOfPeerBeforeItReadEverythingClosesConnection() throws Exception {
    connect();
    on(() -> {
      tcp.confirming = false;
    });
    ChannelFuture unread = write(100);
    connected();
    ChannelFuture held = write(100);
    on(() -> {
      tcp.receiver.ended();
      tcp.closed = true;
      tcp.failAll();
      tcp.receiver.closed(null);
    });
    channel.closeFuture().sync();
    assertFalse(unread.await().isSuccess());
    assertFalse(held.await().isSuccess());
    assertEquals(List.of("close"), calls(fabric));
  }

  @Test
  void endOfPeerBeforeFabricIsConnectedClosesConnection() throws Exception {
    connect();
    on(() -> tcp.receiver.ended());
    channel.closeFuture().sync();
    connected();
    assertEquals(List.of("close"), calls(fabric));
  }

  @Test
  void lostTcpFailsWaitingWrites() throws Exception {
    connect();
    write(100);
    connected();
    ChannelFuture held = write(200);
    on(() -> {
      tcp.closed = true;
      tcp.receiver.closed(new IOException("Connection reset"));
    });
    channel.closeFuture().sync();
    assertFalse(held.await().isSuccess());
    assertEquals(List.of("abort"), calls(fabric));
  }

  @Test
  void fabricLostWhileMovingFailsWaitingWrites() throws Exception {
    connect();
    write(100);
    connected();
    ChannelFuture held = write(200);
    on(() -> {
      tcp.closed = true;
      fabric.receiver.closed(new ByteStream.PeerEnded(new IllegalStateException("the peer is dead")));
    });
    channel.closeFuture().sync();
    assertFalse(held.await().isSuccess());
    assertEquals(List.of("write 104", "end", "close"), calls(tcp));
  }

  @Test
  void closeWhileMovingWaitsForWritesThatWait() throws Exception {
    connect();
    connected();
    ChannelFuture held = write(200);
    ChannelFuture close = channel.close();
    settled();
    assertFalse(held.isDone() || close.isDone());
    assertEquals(List.of("end", "closing"), calls(tcp));
    on(() -> tcp.receiver.ended());
    close.sync();
    assertTrue(held.isSuccess());
    assertEquals(List.of("closing", "write 204", "close"), calls(fabric));
  }

  @Test
  void closeWhileMovingWithoutWritesClosesBoth() throws Exception {
    connect();
    connected();
    channel.close().sync();
    settled();
    assertEquals(List.of("end", "close"), calls(tcp));
    assertEquals(List.of("close"), calls(fabric));
  }
}
