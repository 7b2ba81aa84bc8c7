package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.LogLines;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.traffic.ChannelTrafficShapingHandler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RdmaChannelTest {
  private static final InetSocketAddress REMOTE = Wire.REMOTE;
  private static final int SEND_BUFFER = 256 << 10;

  private final EventLoop loop = new DefaultEventLoop();
  private final Events events = new Events();
  private final Wire wire = new Wire();

  @AfterEach
  void stop() {
    loop.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private static final class Events extends ChannelInboundHandlerAdapter {
    final List<String> heard = new ArrayList<>();
    boolean stopReading;

    @Override
    public void channelActive(ChannelHandlerContext context) {
      heard.add("active");
      context.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      heard.add(((ByteBuf) message).toString(StandardCharsets.US_ASCII));
      ((ByteBuf) message).release();
      if (stopReading) {
        context.channel().config().setAutoRead(false);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      heard.add("read complete");
      context.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event == ChannelInputShutdownEvent.INSTANCE) {
        heard.add("input ended");
      }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
      heard.add(context.channel().isWritable() ? "writable" : "not writable");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      heard.add(cause.getMessage());
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      heard.add("inactive");
    }
  }

  private Bootstrap bootstrap(RdmaChannel.Dialer dialer) {
    return new Bootstrap().group(loop).channelFactory(() -> new RdmaChannel(dialer, false)).handler(events);
  }

  private Channel connected(Bootstrap bootstrap) throws Exception {
    Channel channel = bootstrap.connect(REMOTE).sync().channel();
    on(() -> events.heard.clear());
    return channel;
  }

  private Channel connected() throws Exception {
    return connected(bootstrap((channel, remote, local) -> Future.succeededFuture(wire)));
  }

  private <T> T on(Callable<T> task) throws Exception {
    return loop.submit(task).get(20, TimeUnit.SECONDS);
  }

  private void on(Runnable task) throws Exception {
    loop.submit(task).get(20, TimeUnit.SECONDS);
  }

  private List<String> heard() throws Exception {
    on(() -> {
    });
    on(() -> {
    });
    return on(() -> List.copyOf(events.heard));
  }

  private void arrives(String... messages) throws Exception {
    on(() -> {
      for (String message : messages) {
        wire.receiver.received(Unpooled.copiedBuffer(message, StandardCharsets.US_ASCII));
      }
    });
  }

  private static ByteBuf bytes(int size) {
    return Unpooled.buffer(size).writeZero(size);
  }

  @Test
  void aChannelThatNoLoopTookClosesItsStreamOnTheLoopOfThat() throws Exception {
    CompletableFuture<Boolean> closed = new CompletableFuture<>();
    ByteStream stream = (ByteStream) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {ByteStream.class},
      (proxy, method, arguments) -> {
        closed.complete(loop.inEventLoop());
        return null;
      });
    new RdmaChannel(null, stream, loop, false).unsafe().closeForcibly();
    assertTrue(closed.get(20, TimeUnit.SECONDS), "it was closed on another thread");
  }

  @Test
  void addressesAreTheStreams() throws Exception {
    Channel channel = connected();
    assertTrue(channel.isActive());
    assertEquals(wire.localAddress(), channel.localAddress());
    assertEquals(REMOTE, channel.remoteAddress());
  }

  @Test
  void connectingTimesOut() throws Exception {
    Promise<ByteStream> never = Promise.promise();
    ChannelFuture connect = bootstrap((channel, remote, local) -> never.future()).option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 50)
      .connect(REMOTE).await();
    assertInstanceOf(ConnectTimeoutException.class, connect.cause());
    connect.channel().closeFuture().sync();
    never.complete(wire);
    heard();
    assertEquals(List.of("close"), wire.calls);
  }

  @Test
  void connectingCanBeCancelled() throws Exception {
    Promise<ByteStream> never = Promise.promise();
    ChannelFuture connect = bootstrap((channel, remote, local) -> never.future()).connect(REMOTE);
    heard();
    assertTrue(connect.cancel(false));
    connect.channel().closeFuture().sync();
    never.complete(wire);
    heard();
    assertEquals(List.of("close"), wire.calls);
  }

  @Test
  void closingEndsConnecting() throws Exception {
    ChannelFuture connect = bootstrap((channel, remote, local) -> Promise.<ByteStream>promise().future()).connect(REMOTE);
    heard();
    connect.channel().close().sync();
    assertInstanceOf(ClosedChannelException.class, connect.await().cause());
  }

  @Test
  void aFailureIsAConnectException() throws Exception {
    ChannelFuture connect = bootstrap((channel, remote, local) -> Future.failedFuture(new ConnectException("nobody")))
      .connect(REMOTE).await();
    assertInstanceOf(ConnectException.class, connect.cause());
    assertTrue(connect.cause().getMessage().contains("nobody"), connect.cause().getMessage());
  }

  @Test
  void socketOptionsAreTakenAndKept() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire)).option(ChannelOption.SO_REUSEADDR, true)
      .option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.SO_KEEPALIVE, true).option(ChannelOption.SO_SNDBUF, 1 << 16)
      .option(ChannelOption.SO_RCVBUF, 1 << 16).option(ChannelOption.SO_LINGER, 0).option(ChannelOption.IP_TOS, 8));
    assertEquals(Boolean.TRUE, channel.config().getOption(ChannelOption.TCP_NODELAY));
    assertEquals(1 << 16, channel.config().getOption(ChannelOption.SO_SNDBUF));
    assertNull(channel.config().getOption(ChannelOption.SO_BROADCAST));
  }

  @Test
  void nothingIsReadAfterAutoReadWasSwitchedOff() throws Exception {
    Channel channel = connected();
    on(() -> {
      events.stopReading = true;
    });
    arrives("a", "b", "c");
    assertEquals(List.of("a", "read complete"), heard());
    channel.read();
    assertEquals(List.of("a", "read complete", "b", "read complete"), heard());
    on(() -> {
      events.stopReading = false;
    });
    channel.config().setAutoRead(true);
    assertEquals(List.of("a", "read complete", "b", "read complete", "c", "read complete"), heard());
  }

  @Test
  void messagesOfAnySizeThatCameTogetherAreReadTogether() throws Exception {
    connected();
    arrives("x".repeat(2_000_000), "y");
    assertEquals(List.of("x".repeat(2_000_000), "y", "read complete"), heard());
  }

  @Test
  void noReadIsLargerThanASocketsWhereBandwidthIsLimited() throws Exception {
    connected().pipeline().addFirst(new ChannelTrafficShapingHandler(0));
    arrives("x".repeat(200_000));
    assertEquals(List.of(65_536, 65_536, 65_536, 200_000 - 3 * 65_536),
      heard().stream().filter(e -> e.startsWith("x")).map(String::length).toList());
  }

  @Test
  void aReaderThatDoesNotReadHoldsThePeerBack() throws Exception {
    Channel channel = connected();
    channel.config().setAutoRead(false);
    arrives("x".repeat(200_000), "y".repeat(100_000));
    heard();
    assertEquals(List.of("hold back"), wire.calls);
    channel.config().setAutoRead(true);
    heard();
    assertEquals(List.of("hold back", "go on"), wire.calls);
  }

  @Test
  void automaticReadingIsSwitchedOffBeforeTheChannelIsConnected() throws Exception {
    connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire)).option(ChannelOption.AUTO_READ, false));
    arrives("a");
    assertEquals(List.of(), heard());
  }

  @Test
  void smallWritesAreCopiedByStreamThatTakesThem() throws Exception {
    Channel channel = connected();
    wire.gathers = true;
    wire.confirming = false;
    List<ChannelFuture> writes = new ArrayList<>();
    on(() -> {
      for (int size : new int[] {100, 200, 20_000, 300, 300, 400}) {
        writes.add(channel.write(bytes(size)));
      }
      channel.flush();
    });
    assertEquals(List.of("finish", "write 300", "write 20000", "finish", "write 1000"), wire.calls);
    assertTrue(writes.stream().noneMatch(ChannelFuture::isDone));
    on(wire::confirmAll);
    assertTrue(writes.stream().allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void unconfirmedBytesMakeTheChannelUnwritable() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(128 << 10, 256 << 10)));
    wire.confirming = false;
    on(() -> {
      for (int i = 0; i < 8; i++) {
        channel.writeAndFlush(bytes(64 << 10));
      }
    });
    assertFalse(channel.isWritable());
    assertEquals(SEND_BUFFER / (64 << 10), wire.calls.size());
    on(wire::confirmAll);
    assertTrue(channel.isWritable());
    assertEquals(8, wire.calls.size());
    assertEquals(List.of("not writable", "writable"), heard());
  }

  @Test
  void noWriteIsLargerThanTheStreamTakes(@TempDir Path folder) throws Exception {
    wire.maxWrite = 1_000;
    Path file = Files.write(folder.resolve("file"), new byte[10_000]);
    Channel channel = connected();
    on(() -> {
      for (int size : new int[] {100, 950, 3_000, 0, 999, 1_000}) {
        channel.write(bytes(size));
      }
      channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 10_000));
    });
    List<Integer> sizes = wire.calls.stream().map(call -> Integer.parseInt(call.substring(6))).toList();
    assertTrue(sizes.stream().allMatch(size -> size <= 1_000), sizes.toString());
    assertEquals(16_049, sizes.stream().mapToInt(size -> size).sum());
  }

  @Test
  void aWriteTakesMoreOfTheSendBufferThanItsBytes() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    on(() -> {
      for (int i = 0; i < 10_000; i++) {
        channel.writeAndFlush(bytes(1));
      }
    });
    assertEquals(SEND_BUFFER / 257 + 1, wire.calls.size());
  }

  @Test
  void writeCompletesWithoutReferencesWhenStreamConfirmsLastByte() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    ByteBuf bytes = bytes(100_000).retain();
    int[] references = new int[1];
    ChannelFuture write = channel.writeAndFlush(bytes).addListener(done -> references[0] = bytes.refCnt());
    heard();
    assertEquals(List.of("write 65536", "write 34464"), wire.calls);
    on(() -> wire.confirm());
    assertFalse(write.isDone());
    on(() -> wire.confirm());
    assertTrue(write.isSuccess());
    assertEquals(1, references[0]);
    assertEquals(List.of(0, 100_000), List.of(bytes.readerIndex(), bytes.writerIndex()));
    bytes.release();
  }

  @Test
  void smallWritesOfOneFlushCompleteWhenStreamConfirmsThem() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = new ArrayList<>();
    on(() -> {
      for (int i = 0; i < 3; i++) {
        writes.add(channel.write(bytes(100)));
      }
      writes.add(channel.write(Unpooled.EMPTY_BUFFER));
      assertEquals(List.of(), wire.calls);
      channel.flush();
    });
    assertEquals(List.of("write 300"), wire.calls);
    assertTrue(writes.stream().noneMatch(ChannelFuture::isDone));
    on(wire::confirmAll);
    assertTrue(writes.stream().allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void writesCompleteInOrderWhenStreamConfirmsOutOfOrder() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = new ArrayList<>();
    on(() -> {
      for (int i = 0; i < 3; i++) {
        writes.add(channel.writeAndFlush(bytes(100)));
      }
      wire.pending.pollLast().succeed();
    });
    assertTrue(writes.stream().noneMatch(ChannelFuture::isDone));
    on(() -> wire.confirm());
    assertEquals(List.of(true, false, false), writes.stream().map(ChannelFuture::isSuccess).toList());
    on(() -> wire.confirm());
    assertTrue(writes.stream().allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void unconfirmedBytesDoNotMakeChannelUnwritableUntilSendBufferIsFull() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(8 << 10, 16 << 10)));
    wire.confirming = false;
    on(() -> {
      for (int i = 0; i < 4; i++) {
        channel.writeAndFlush(bytes(64 << 10));
      }
      assertTrue(channel.isWritable());
      channel.writeAndFlush(bytes(32 << 10));
      assertFalse(channel.isWritable());
      wire.confirm();
      assertTrue(channel.isWritable());
    });
    assertEquals(16 << 10, channel.config().getOption(ChannelOption.WRITE_BUFFER_WATER_MARK).high());
  }

  private static byte[] write(Channel channel, Random random, Path file, int number, List<Integer> completed) throws Exception {
    int kind = random.nextInt(12);
    int size = switch (kind) {
      case 0 -> 0;
      case 1 -> random.nextInt(10_000);
      case 2 -> random.nextInt(300_000);
      case 3 -> 1 + random.nextInt(100_000);
      default -> random.nextInt(300);
    };
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    Object message = Unpooled.wrappedBuffer(bytes.clone());
    if (kind == 3) {
      byte[] content = new byte[1_000 + size];
      System.arraycopy(bytes, 0, content, 1_000, size);
      message = new DefaultFileRegion(Files.write(file, content).toFile(), 1_000, size);
    } else if (kind == 4) {
      message = Unpooled.EMPTY_BUFFER;
    }
    ChannelFuture write = channel.write(message);
    if (kind == 5 && write.cancel(false)) {
      return new byte[0];
    }
    write.addListener(done -> {
      assertTrue(done.isSuccess());
      completed.add(number);
      if (random.nextInt(4) == 0) {
        channel.flush();
      }
    });
    return kind == 4 ? new byte[0] : bytes;
  }

  @Test
  void bytesAndPromisesKeepTheirOrderForAnyWritesAndConfirmations(@TempDir Path folder) throws Exception {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      Wire stream = new Wire();
      ByteArrayOutputStream sent = new ByteArrayOutputStream();
      stream.copy = sent;
      stream.maxWrite = random.nextBoolean() ? 1_000 : 64 << 10;
      Channel channel = bootstrap((c, remote, local) -> Future.succeededFuture(stream)).handler(new Events()).connect(REMOTE).sync()
        .channel();
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      List<Integer> completed = new ArrayList<>();
      List<Integer> expected = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        int number = i;
        on(() -> {
          stream.confirming = random.nextInt(3) == 0;
          int before = completed.size();
          byte[] bytes = write(channel, random, folder.resolve("file" + number), number, completed);
          written.writeBytes(bytes);
          expected.add(number);
          assertEquals(before, completed.size());
          if (random.nextInt(5) == 0) {
            channel.flush();
          }
          if (random.nextInt(4) == 0) {
            stream.confirmAll();
          }
          return null;
        });
      }
      boolean isClosedBefore = random.nextBoolean();
      on(() -> {
        stream.confirming = !isClosedBefore;
        channel.flush();
        if (isClosedBefore) {
          channel.close();
        }
        stream.confirmAll();
        channel.flush();
      });
      while (isClosedBefore && !channel.closeFuture().isDone()) {
        on(stream::confirmAll);
      }
      assertArrayEquals(written.toByteArray(), sent.toByteArray(), "seed " + seed);
      expected.removeIf(number -> !completed.contains(number));
      assertEquals(expected, completed, "seed " + seed);
      assertTrue(isClosedBefore || on(() -> channel.unsafe().outboundBuffer().isEmpty()), "seed " + seed);
      channel.close().sync();
    }
  }

  @Test
  void fileThatEndsEarlyFailsItsWriteAfterTheWritesBeforeIt(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[100_000]);
    Channel channel = connected();
    wire.confirming = false;
    ChannelFuture before = channel.writeAndFlush(bytes(100));
    DefaultFileRegion region = new DefaultFileRegion(file.toFile(), 0, 100_000);
    region.open();
    Files.write(file, new byte[10]);
    ChannelFuture write = channel.writeAndFlush(region);
    heard();
    assertFalse(before.isDone() || write.isDone());
    on(wire::confirmAll);
    assertTrue(before.isSuccess());
    assertInstanceOf(IOException.class, write.await().cause());
    channel.closeFuture().sync();
  }

  @Test
  void thePeersEndIsAnEventWhereHalfClosureIsAllowed() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.ALLOW_HALF_CLOSURE, true));
    arrives("last");
    on(() -> wire.receiver.ended());
    assertEquals(List.of("last", "read complete", "input ended"), heard().stream().filter(e -> !e.equals("inactive")).toList());
    assertTrue(channel.isActive());
    assertTrue(((RdmaChannel) channel).isInputShutdown());
    channel.writeAndFlush(bytes(10)).sync();
    heard();
    assertEquals(List.of("write 10"), wire.calls);
  }

  @Test
  void thePeersEndNeedsNoRead() throws Exception {
    connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.AUTO_READ, false));
    on(() -> wire.receiver.ended());
    assertEquals(List.of("input ended"), heard());
  }

  @Test
  void bytesBeforeThePeersEndDo() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.AUTO_READ, false));
    arrives("last");
    on(() -> wire.receiver.ended());
    assertEquals(List.of(), heard());
    channel.read();
    assertEquals(List.of("last", "read complete", "input ended"), heard());
    assertTrue(channel.isActive());
  }

  @Test
  void closedStreamDeliversUnreadBytesAndEndBeforeClose() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.AUTO_READ, false));
    arrives("last");
    on(() -> {
      wire.receiver.ended();
      wire.receiver.closed(null);
    });
    channel.closeFuture().sync();
    assertEquals(List.of("last", "read complete", "input ended", "inactive"), heard());
  }

  @Test
  void endedPeerDeliversUnreadBytesAndClosesWithoutException() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire)).option(ChannelOption.AUTO_READ, false));
    arrives("first", "last");
    assertEquals(List.of(), heard());
    on(() -> wire.receiver.closed(endOfPeer()));
    channel.closeFuture().sync();
    assertEquals(List.of("first", "read complete", "last", "read complete", "inactive"), heard());
  }

  @Test
  void endedPeerWithUnconfirmedWriteIsException() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    ChannelFuture write = channel.writeAndFlush(bytes(100));
    heard();
    on(() -> {
      wire.failAll();
      wire.receiver.closed(endOfPeer());
    });
    channel.closeFuture().sync();
    assertEquals(List.of("the peer is dead", "inactive"), heard());
    assertFalse(write.await().isSuccess());
  }

  private static Throwable endOfPeer() {
    return new ByteStream.PeerEnded(new IllegalStateException("the peer is dead"));
  }

  @Test
  void thePeersCloseIsItsEndToo() throws Exception {
    Channel channel = connected(bootstrap((c, remote, local) -> Future.succeededFuture(wire))
      .option(ChannelOption.ALLOW_HALF_CLOSURE, true));
    on(() -> wire.receiver.closed(null));
    channel.closeFuture().sync();
    assertEquals(List.of("input ended", "inactive"), heard());
  }

  @Test
  void shutdownFailsBeforeTheChannelIsConnected() throws Exception {
    RdmaChannel channel = (RdmaChannel) bootstrap((c, remote, local) -> Promise.<ByteStream>promise().future()).register().sync().channel();
    for (ChannelFuture shutdown : List.of(channel.shutdownInput(), channel.shutdownOutput(), channel.shutdown())) {
      assertInstanceOf(NotYetConnectedException.class, shutdown.await().cause());
    }
    assertFalse(channel.isInputShutdown() || channel.isOutputShutdown());
    channel.connect(REMOTE);
    heard();
    channel.close().sync();
    assertInstanceOf(ClosedChannelException.class, channel.shutdown().await().cause());
  }

  @Test
  void thePeersEndIsTheEndOtherwise() throws Exception {
    Channel channel = connected();
    arrives("last");
    on(() -> wire.receiver.ended());
    channel.closeFuture().sync();
    heard();
    assertEquals(List.of("last", "read complete", "inactive"), heard());
    assertEquals(List.of("close"), wire.calls);
  }

  @Test
  void oneSideEndsAndReadsOn() throws Exception {
    Channel channel = connected();
    ((RdmaChannel) channel).shutdownOutput().sync();
    heard();
    assertEquals(List.of("end"), wire.calls);
    assertInstanceOf(ClosedChannelException.class, channel.writeAndFlush(bytes(1)).await().cause());
    arrives("answer");
    assertEquals(List.of("answer", "read complete"), heard());
  }

  @Test
  void closeCompletesAfterStreamConfirmsWrites() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<String> completed = new ArrayList<>();
    channel.write(bytes(100)).addListener(done -> completed.add("first " + done.isSuccess()));
    channel.writeAndFlush(bytes(100_000)).addListener(done -> completed.add("second " + done.isSuccess()));
    channel.write(bytes(1)).addListener(done -> completed.add("unflushed " + done.isSuccess()));
    channel.close().addListener(done -> completed.add("close " + done.isSuccess()));
    heard();
    assertEquals(List.of("write 100", "write 65536", "write 34464", "closing", "close"), wire.calls);
    assertEquals(List.of(), completed);
    assertInstanceOf(ClosedChannelException.class, channel.writeAndFlush(bytes(1)).await().cause());
    on(wire::confirmAll);
    channel.closeFuture().sync();
    heard();
    assertEquals(List.of("first true", "second true", "close true", "unflushed false"), completed);
    assertEquals("inactive", heard().getLast());
  }

  private List<ChannelFuture> writeSix(Channel channel) throws Exception {
    return on(() -> {
      List<ChannelFuture> writes = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        writes.add(channel.writeAndFlush(bytes(64 << 10)));
      }
      writes.add(channel.write(bytes(1)));
      return writes;
    });
  }

  @Test
  void closeFirstSubmitsAllFlushedWrites() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = writeSix(channel);
    ChannelFuture close = channel.close();
    heard();
    assertEquals(4, SEND_BUFFER / (64 << 10));
    assertEquals(List.of("write 65536", "write 65536", "write 65536", "write 65536", "closing"), wire.calls);
    assertFalse(channel.isOpen());
    on(wire::confirm);
    on(wire::confirm);
    assertEquals(List.of("write 65536", "write 65536", "close"), wire.calls.subList(5, wire.calls.size()));
    assertFalse(close.isDone());
    on(wire::confirmAll);
    close.sync();
    assertTrue(writes.stream().limit(6).allMatch(ChannelFuture::isSuccess));
    assertInstanceOf(ClosedChannelException.class, writes.getLast().await().cause());
  }

  @Test
  void closeCompletesAndWritesFailWhenStreamFailsBeforeAllWritesAreSubmitted() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = writeSix(channel);
    ChannelFuture close = channel.close();
    on(wire::confirm);
    on(wire::failAll);
    close.sync();
    assertTrue(writes.getFirst().isSuccess());
    for (ChannelFuture write : writes.subList(1, writes.size())) {
      assertInstanceOf(ClosedChannelException.class, write.await().cause());
    }
  }

  @Test
  void writesFailAndAreReportedWhenTimeOfClosingVertxIsOver() throws Exception {
    ClosingLimit limit = new ClosingLimit();
    Channel channel = connected(new Bootstrap().group(loop).handler(events)
      .channelFactory(() -> new RdmaChannel((c, remote, local) -> Future.succeededFuture(wire), false).limit(limit)));
    wire.confirming = false;
    limit.begin();
    List<ChannelFuture> writes = writeSix(channel);
    ChannelFuture close = channel.close();
    on(wire::confirm);
    on(() -> ((RdmaChannel) channel).giveUp("the time is over"));
    assertEquals("abort", wire.calls.getLast());
    int calls = wire.calls.size();
    on(() -> ((RdmaChannel) channel).giveUp("the time is over"));
    assertEquals(calls, wire.calls.size());
    on(wire::failAll);
    close.sync();
    assertTrue(writes.getFirst().isSuccess());
    assertInstanceOf(ClosedChannelException.class, writes.get(1).await().cause());
    try (LogLines log = new LogLines(ClosingLimit.class)) {
      limit.report();
      limit.report();
      assertEquals(1, log.lines().size());
      assertTrue(log.lines().getFirst().startsWith("cannot deliver 327680 bytes of 5 writes to " + REMOTE + ": "), log.lines()::toString);
    }
  }

  @Test
  void endFirstSubmitsAllFlushedWritesAndNoneThatIsFlushedLater() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = writeSix(channel);
    ChannelFuture end = ((RdmaChannel) channel).shutdownOutput();
    channel.flush();
    heard();
    assertEquals(4, wire.calls.size());
    on(wire::confirm);
    on(wire::confirm);
    assertEquals(List.of("write 65536", "write 65536", "end"), wire.calls.subList(4, wire.calls.size()));
    assertFalse(end.isDone());
    on(wire::confirmAll);
    end.sync();
    assertTrue(writes.stream().limit(6).allMatch(ChannelFuture::isSuccess));
    assertInstanceOf(IOException.class, writes.getLast().await().cause());
    assertTrue(channel.isActive());
  }

  @Test
  void closeDuringEndClosesBehindIt() throws Exception {
    Channel channel = connected();
    wire.confirming = false;
    List<ChannelFuture> writes = writeSix(channel);
    ChannelFuture end = ((RdmaChannel) channel).shutdownOutput();
    ChannelFuture close = channel.close();
    heard();
    on(wire::confirmAll);
    on(wire::confirmAll);
    close.sync();
    end.sync();
    assertEquals(List.of("closing", "write 65536", "write 65536", "end", "close"), wire.calls.subList(4, wire.calls.size()));
    assertTrue(writes.stream().limit(6).allMatch(ChannelFuture::isSuccess));
  }

  @Test
  void closeCompletesWhenFlushedFileCannotBeRead(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[1 << 20]);
    Channel channel = connected();
    wire.confirming = false;
    ChannelFuture before = channel.writeAndFlush(bytes(100));
    ChannelFuture write = channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 1 << 20));
    ChannelFuture behind = channel.writeAndFlush(bytes(100));
    ChannelFuture close = channel.close();
    heard();
    Files.write(file, new byte[10]);
    on(wire::confirmAll);
    close.sync();
    assertTrue(before.isSuccess());
    assertInstanceOf(ClosedChannelException.class, write.await().cause());
    assertInstanceOf(ClosedChannelException.class, behind.await().cause());
    assertEquals("close", wire.calls.getLast());
  }

  @Test
  void closingBeforeAllWasReadTellsThePeerOfIt() throws Exception {
    Channel channel = connected();
    channel.config().setAutoRead(false);
    arrives("a");
    heard();
    channel.close().sync();
    heard();
    assertEquals(List.of("abort"), wire.calls);
  }

  @Test
  void aBrokenStreamIsAnExceptionAndTheEnd() throws Exception {
    Channel channel = connected();
    on(() -> wire.receiver.closed(new IllegalStateException("the peer is gone")));
    channel.closeFuture().sync();
    heard();
    assertEquals(List.of("the peer is gone", "inactive"), heard());
    assertInstanceOf(ClosedChannelException.class, channel.writeAndFlush(bytes(1)).await().cause());
  }
}
