package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.impl.poll.JdkFailures;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.vertx.core.Future;
import io.vertx.core.net.PfxOptions;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.KeyManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A TCP connection between two event loops, with the kernel's sockets, and a {@link StreamPair} as fabric. */
@Timeout(60)
class MoveHandlerTest {
  private static SslContext serverTls;
  private static SslContext clientTls;

  @TempDir
  Path folder;
  private final ClosingLimit limit = new ClosingLimit();
  private MultiThreadIoEventLoopGroup clients;
  private MultiThreadIoEventLoopGroup servers;
  private final Side client = new Side();
  private final Side server = new Side();
  private StreamPair fabric;
  private boolean requiresTls;
  /** Adds handlers to a new channel. */
  private Consumer<ChannelPipeline> added = pipeline -> {
  };

  /** One end of the connection, with the bytes that it has read. */
  private final class Side extends ChannelInboundHandlerAdapter implements MoveHandler.Owner {
    private final ByteArrayOutputStream read = new ByteArrayOutputStream();
    private final AtomicInteger reads = new AtomicInteger();
    private final AtomicInteger notMoved = new AtomicInteger();
    private volatile MoveHandler handler;
    private volatile DuplexChannel channel;
    private volatile Throwable failure;
    private volatile boolean ended;
    private volatile boolean closed;
    private volatile boolean active;
    private volatile boolean inactive;
    private boolean forced;
    private boolean asks = true;

    synchronized byte[] bytes() {
      return read.toByteArray();
    }

    synchronized int size() {
      return read.size();
    }

    @Override
    public Future<SocketAddress> find(MoveHandler of, SocketAddress remote, ChannelPromise promise) {
      return Future.succeededFuture(remote);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
      active = true;
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      inactive = true;
    }

    @Override
    public void connected(MoveHandler connected) {
      handler = connected;
      if (asks) {
        handler.receive(true);
      }
      channel = (DuplexChannel) connected.channel();
    }

    @Override
    public void notMoved(MoveHandler of, Throwable cause) {
      notMoved.incrementAndGet();
    }

    @Override
    public void lost(MoveHandler of, Throwable cause) {
      // The connection ends.
    }

    @Override
    public void disconnected(MoveHandler of) {
      closed = true;
    }

    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public synchronized void channelRead(ChannelHandlerContext context, Object message) {
      read.writeBytes(ByteBufUtil.getBytes((ByteBuf) message));
      reads.incrementAndGet();
      ((ByteBuf) message).release();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      ended |= event == ChannelInputShutdownEvent.INSTANCE;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      failure = cause;
    }

    private void on(Runnable task) {
      channel.eventLoop().submit(task).syncUninterruptibly();
    }

    private ChannelFuture write(byte[] bytes) {
      return channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
    }
  }

  @BeforeAll
  static void createKey(@TempDir Path keys) throws Exception {
    PfxOptions key = StackSettings.key(keys);
    KeyStore store = KeyStore.getInstance(new File(key.getPath()), key.getPassword().toCharArray());
    KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, key.getPassword().toCharArray());
    serverTls = SslContextBuilder.forServer(managers).build();
    clientTls = SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE).endpointIdentificationAlgorithm(null)
      .build();
  }

  @AfterEach
  void stop() {
    for (MultiThreadIoEventLoopGroup group : List.of(clients, servers)) {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  private void connect(String transport, boolean halfCloses) {
    open(transport, halfCloses).syncUninterruptibly();
    until("both ends are connected", () -> client.channel != null && server.channel != null);
    fabric = new StreamPair(client.channel.eventLoop(), server.channel.eventLoop());
  }

  /** Connects over a fabric alone. The future completes when both ends have it, and use it. */
  private ChannelFuture connectForced(String transport, boolean alone) {
    return connectForced(transport, alone, false);
  }

  private ChannelFuture connectForced(String transport, boolean alone, boolean halfCloses) {
    client.forced = true;
    server.forced = alone;
    ChannelFuture connecting = open(transport, halfCloses);
    until("both ends are connected by TCP", () -> client.channel != null && server.channel != null);
    fabric = new StreamPair(client.channel.eventLoop(), server.channel.eventLoop());
    return connecting;
  }

  private ChannelFuture open(String transport, boolean halfCloses) {
    boolean epoll = transport.equals("epoll");
    IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    // As in place of NIO channels, which applications use by default.
    ChannelFactory<Channel> sockets = epoll ? JdkFailures.of(EpollSocketChannel::new) : NioSocketChannel::new;
    ChannelFactory<ServerChannel> acceptors = epoll ? JdkFailures.of(EpollServerSocketChannel::new) : NioServerSocketChannel::new;
    clients = new MultiThreadIoEventLoopGroup(1, handlers);
    servers = new MultiThreadIoEventLoopGroup(1, handlers);
    Channel listening = new ServerBootstrap().group(servers).channelFactory(acceptors)
      .childOption(ChannelOption.ALLOW_HALF_CLOSURE, halfCloses).childHandler(initializer(server))
      .bind(InetAddress.getLoopbackAddress(), 0).syncUninterruptibly().channel();
    return new Bootstrap().group(clients).channelFactory(sockets).option(ChannelOption.ALLOW_HALF_CLOSURE, halfCloses)
      .handler(initializer(client)).connect(listening.localAddress());
  }

  private ChannelInitializer<Channel> initializer(Side side) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        new MoveHandler(side, limit, requiresTls, side.forced).addTo(channel);
        added.accept(channel.pipeline());
        channel.pipeline().addLast(side);
      }
    };
  }

  private void move() {
    server.on(() -> server.handler.move(fabric.other));
    client.on(() -> client.handler.move(fabric.one));
  }

  private static byte[] random(Random random, int size) {
    byte[] bytes = new byte[size];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] written(Side by, byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      by.write(part);
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static void assertRead(Side side, byte[] expected) {
    until("all bytes are read", () -> side.size() >= expected.length || side.failure != null);
    assertNull(side.failure, () -> String.valueOf(side.failure));
    assertArrayEquals(expected, side.bytes());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void orderAndContentAreKeptUnderLoadInBothDirections(String transport) throws Exception {
    connect(transport, false);
    Random random = new Random(1);
    Path file = Files.write(folder.resolve("region"), random(random, 300_000));
    ByteArrayOutputStream[] all = {new ByteArrayOutputStream(), new ByteArrayOutputStream()};
    Side[] sides = {client, server};
    List<ChannelFuture> writes = new ArrayList<>();
    for (int i = 0; i < 3_000; i++) {
      int to = random.nextInt(2);
      DuplexChannel channel = sides[to].channel;
      byte[] bytes = random(random,
        random.nextInt(400) == 0 ? 0 : random.nextInt(200) == 0 ? random.nextInt(200_000) : random.nextInt(600));
      all[to].writeBytes(bytes);
      switch (random.nextInt(6)) {
        case 0 -> channel.write(Unpooled.wrappedBuffer(bytes), channel.voidPromise());
        case 1 -> channel.write(channel.alloc().directBuffer().writeBytes(bytes));
        default -> writes.add(channel.writeAndFlush(Unpooled.wrappedBuffer(bytes)));
      }
      if (random.nextInt(1_000) == 0) {
        all[to].writeBytes(Files.readAllBytes(file));
        writes.add(channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 300_000)));
      }
      if (i == 1_000) {
        move();
        until("both have moved", () -> client.handler.toString().startsWith("output FABRIC")
          && server.handler.toString().startsWith("output FABRIC"));
      }
      if (i > 1_000 && random.nextInt(20) == 0) {
        Side side = sides[random.nextInt(2)];
        boolean byFabric = random.nextInt(3) > 0;
        side.channel.eventLoop().execute(() -> side.handler.receive(byFabric));
      }
    }
    client.channel.flush();
    server.channel.flush();
    assertRead(server, all[0].toByteArray());
    assertRead(client, all[1].toByteArray());
    for (ChannelFuture write : writes) {
      assertTrue(write.await(20, TimeUnit.SECONDS) && write.isSuccess());
    }
    assertTrue(client.handler.sent() > 0 && server.handler.sent() > 0, client.handler::toString);
    assertTrue(client.channel.isWritable());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void bytesByTcpFollowThoseOfFabricAfterReturn(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.other.delivers = false;
    byte[] late = random(new Random(5), 30_000);
    client.write(late).syncUninterruptibly();
    server.on(() -> server.handler.receive(false));
    byte[] after = random(new Random(6), 40_000);
    ChannelFuture waiting = client.write(after);
    until("the client waits for its peer", client.handler::isMoving);
    long sent = client.handler.sent();
    assertFalse(waiting.isDone());
    fabric.other.delivers = true;
    server.on(fabric.other::deliver);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(new byte[1_000]);
    all.writeBytes(late);
    all.writeBytes(after);
    assertRead(server, all.toByteArray());
    assertTrue(waiting.syncUninterruptibly().isSuccess());
    assertEquals(sent, client.handler.sent());
    assertRead(client, written(server, new byte[700]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionGoesOnByTcpIfFabricIsLostAfterBothReturned(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    assertRead(client, written(server, new byte[2_000]));
    server.on(() -> server.handler.receive(false));
    client.on(() -> client.handler.receive(false));
    until("both have returned", () -> client.handler.toString().startsWith("output TCP, input TCP")
      && server.handler.toString().startsWith("output TCP, input TCP"));
    client.on(() -> fabric.one.abort("the fabric is lost"));
    until("both can move again", () -> client.notMoved.get() == 1 && server.notMoved.get() == 1);
    client.write(new byte[300]);
    assertRead(server, new byte[1_300]);
    server.write(new byte[500]);
    assertRead(client, new byte[2_500]);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionThatLeavesItsMeasureDoesNotWakeIt(String transport) {
    connect(transport, false);
    client.on(() -> client.handler.receive(false));
    server.on(() -> server.handler.receive(false));
    move();
    PeerMeasure measure = new PeerMeasure(server.channel.eventLoop(), null, at -> 2);
    client.on(() -> client.handler.measure(null));
    server.on(() -> server.handler.measure(measure));
    AtomicInteger written = new AtomicInteger();
    until("the busy connection uses the fabric", () -> {
      client.write(new byte[100_000]).syncUninterruptibly();
      written.addAndGet(100_000);
      return client.handler.sent() > 0;
    });
    until("all bytes are read", () -> server.size() == written.get());
    server.on(() -> server.channel.pipeline().addFirst(new ChannelDuplexHandler()));
    until("the measure sleeps", measure::isAsleep);
    until("the client has returned", () -> client.handler.toString().startsWith("output TCP"));
    assertRead(server, new byte[written.get()]);
    written(client, new byte[4_000_000]);
    assertRead(server, new byte[written.get() + 4_000_000]);
    assertTrue(measure.isAsleep());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void closeDeliversWhatWaitsForReturn(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.other.delivers = false;
    client.write(new byte[3_000]).syncUninterruptibly();
    server.on(() -> server.handler.receive(false));
    until("the client waits for its peer", client.handler::isMoving);
    ChannelFuture waiting = client.write(new byte[600_000]);
    ChannelFuture closed = client.channel.close();
    fabric.other.delivers = true;
    server.on(fabric.other::deliver);
    until("the server is closed", () -> server.closed);
    assertEquals(604_000, server.size());
    assertNull(server.failure);
    assertTrue(waiting.syncUninterruptibly().isSuccess() && closed.syncUninterruptibly().isSuccess());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void pausedReaderGetsBytesInOrderAfterMoveAndReturn(String transport) {
    connect(transport, false);
    server.channel.config().setAutoRead(false);
    byte[] all = random(new Random(7), 50_000);
    client.write(Arrays.copyOf(all, 20_000)).syncUninterruptibly();
    move();
    client.write(Arrays.copyOfRange(all, 20_000, 30_000)).syncUninterruptibly();
    until("the client has moved", () -> client.handler.sent() == 10_000);
    server.on(() -> server.handler.receive(false));
    until("the client has returned", () -> client.handler.toString().startsWith("output TCP"));
    client.write(Arrays.copyOfRange(all, 30_000, 50_000)).syncUninterruptibly();
    server.channel.config().setAutoRead(true);
    assertRead(server, all);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void pausedReaderGetsOneReadForEachRequest(String transport) {
    connect(transport, false);
    server.channel.config().setAutoRead(false);
    move();
    until("the client has moved", () -> client.handler.isMoving() || client.write(new byte[10]).awaitUninterruptibly(1_000)
      && client.handler.sent() > 0);
    for (int i = 1; i <= 3; i++) {
      client.write(new byte[1_000]).syncUninterruptibly();
      server.on(() -> {
      });
      int reads = server.reads.get();
      server.channel.read();
      until("a read was answered", () -> server.reads.get() > reads);
      server.on(() -> {
      });
      assertEquals(reads + 1, server.reads.get());
    }
    server.channel.config().setAutoRead(true);
    int sent = (int) client.handler.sent();
    until("all bytes are read", () -> server.handler.received() == sent && server.size() >= sent);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void peerIsPausedWhileBytesWait(String transport) {
    connect(transport, false);
    move();
    server.on(() -> server.channel.config().setAutoRead(false));
    List<byte[]> parts = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      parts.add(random(new Random(i), 20_000));
    }
    byte[] all = written(client, parts.toArray(byte[][]::new));
    until("the peer is paused", () -> fabric.other.paused);
    server.channel.config().setAutoRead(true);
    assertRead(server, all);
    until("the peer goes on", () -> !fabric.other.paused);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void endOfTcpWaitsForBytesOfFabric(String transport) {
    connect(transport, false);
    move();
    byte[] first = written(client, new byte[1_000]);
    assertRead(server, first);
    fabric.other.delivers = false;
    byte[] last = random(new Random(2), 50_000);
    client.write(last).syncUninterruptibly();
    client.channel.close().syncUninterruptibly();
    until("TCP has ended at the server", server.channel::isInputShutdown);
    assertFalse(server.closed);
    fabric.other.delivers = true;
    server.on(fabric.other::deliver);
    until("the connection is closed", () -> server.closed);
    assertEquals(51_000, server.size());
    assertNull(server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void otherDirectionGoesOnAfterHalfClosure(String transport) {
    connect(transport, true);
    move();
    assertRead(server, written(client, new byte[1_000]));
    client.channel.shutdownOutput().syncUninterruptibly();
    until("the server is told of the end", () -> server.ended);
    assertTrue(server.channel.isActive());
    assertRead(client, written(server, new byte[2_000], new byte[3_000]));
    assertInstanceOf(ClosedChannelException.class, client.write(new byte[1]).awaitUninterruptibly().cause());
    server.channel.close().syncUninterruptibly();
    until("the client is told of the end", () -> client.ended);
  }

  /** A handler such as that of TLS changes the bytes by TCP, so no byte may pass it by. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionStaysOnTcpWithHandlerBelow(String transport) {
    connect(transport, false);
    byte[] first = written(client, new byte[100]);
    client.on(() -> client.channel.pipeline().addFirst(new ChannelDuplexHandler()));
    move();
    byte[] second = written(client, new byte[200]);
    assertRead(server, new byte[first.length + second.length]);
    assertEquals(0, client.handler.sent());
    assertTrue(client.channel.isActive() && server.channel.isActive());
  }

  private static ChannelDuplexHandler inverting() {
    return new ChannelDuplexHandler() {
      private ByteBuf inverted(ByteBuf bytes) {
        ByteBuf result = Unpooled.buffer();
        bytes.forEachByte(each -> result.writeByte(~each).isReadable());
        bytes.release();
        return result;
      }

      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        context.fireChannelRead(inverted((ByteBuf) message));
      }

      @Override
      public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
        context.write(inverted((ByteBuf) message), promise);
      }
    };
  }

  private static byte[] inverted(byte[] bytes) {
    byte[] result = bytes.clone();
    for (int i = 0; i < result.length; i++) {
      result[i] = (byte) ~result[i];
    }
    return result;
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  /** Bytes in both directions pass a handler that is added below after the move, except those that were written before. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void bytesOfMovedConnectionPassHandlerThatIsAddedBelow(String transport) {
    connect(transport, false);
    move();
    byte[] first = random(new Random(6), 1_000);
    assertRead(server, written(client, first));
    assertRead(client, written(server, first));
    fabric.one.confirms = false;
    byte[] before = random(new Random(7), 500_000);
    byte[] after = random(new Random(8), 50_000);
    client.on(() -> {
      client.channel.writeAndFlush(Unpooled.wrappedBuffer(before));
      client.channel.pipeline().addFirst(inverting());
      client.channel.writeAndFlush(Unpooled.wrappedBuffer(after));
    });
    until("bytes by TCP wait at the server", () -> server.handler.toString().contains("50000 bytes by TCP held"));
    fabric.one.confirms = true;
    client.on(fabric.one::confirm);
    assertRead(server, joined(first, before, inverted(after)));
    assertEquals(first.length + before.length, fabric.one.written);
    assertRead(client, joined(first, inverted(written(server, after))));
    written(client, first);
    assertRead(server, joined(first, before, inverted(after), inverted(first)));
    assertEquals(first.length + before.length, fabric.one.written);
    client.channel.close().syncUninterruptibly();
    until("the server is closed", () -> server.closed);
    assertNull(server.failure);
  }

  private enum Upgrade {
    BEFORE, WHILE, AFTER
  }

  private static SslHandler tls(boolean ofServer) {
    return (ofServer ? serverTls : clientTls).newHandler(ByteBufAllocator.DEFAULT);
  }

  /** No byte that is written after STARTTLS goes over the fabric, and no byte that is not of TLS by TCP. */
  @ParameterizedTest
  @CsvSource({"epoll, BEFORE", "nio, BEFORE", "epoll, WHILE", "nio, WHILE", "epoll, AFTER", "nio, AFTER"})
  void connectionIsUpgradedToTlsBeforeWhileAndAfterItMoves(String transport, Upgrade upgrade) {
    connect(transport, false);
    SslHandler ofServer = tls(true);
    byte[] plain = random(new Random(9), 1_000);
    if (upgrade == Upgrade.AFTER) {
      move();
    } else if (upgrade == Upgrade.WHILE) {
      client.on(() -> client.handler.move(fabric.one));
    }
    assertRead(server, written(client, plain));
    assertRead(client, written(server, plain));
    if (upgrade == Upgrade.AFTER) {
      assertTrue(fabric.one.written > 0 && fabric.other.written > 0);
    }
    int[] before = {fabric.one.written, fabric.other.written};
    if (upgrade == Upgrade.AFTER) {
      // The server adds its handler when its last write has arrived, which it may learn after the client's answer.
      fabric.other.confirms = false;
      before[1] += plain.length;
      server.on(() -> server.channel.writeAndFlush(Unpooled.wrappedBuffer(plain))
        .addListener(done -> server.channel.pipeline().addFirst(ofServer)));
      until("the client may write again", () -> client.size() == 2 * plain.length);
      // The client stays at the fabric until the server has added its handler.
      fabric.one.delivers = false;
    } else {
      server.on(() -> server.channel.pipeline().addFirst(ofServer));
    }
    client.on(() -> {
      client.channel.pipeline().addFirst(tls(false));
      client.channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    });
    if (upgrade == Upgrade.AFTER) {
      until("the start of TLS waits at the server", () -> server.handler.toString().contains(" bytes by TCP held, peer returned"));
      fabric.other.confirms = true;
      server.on(fabric.other::confirm);
      fabric.one.delivers = true;
      client.on(fabric.one::deliver);
    } else if (upgrade == Upgrade.WHILE) {
      server.on(() -> server.handler.move(fabric.other));
    } else {
      move();
    }
    byte[] secret = random(new Random(10), 300_000);
    client.write(secret).syncUninterruptibly();
    server.write(secret).syncUninterruptibly();
    assertRead(server, joined(plain, secret));
    assertRead(client, upgrade == Upgrade.AFTER ? joined(plain, plain, secret) : joined(plain, secret));
    assertArrayEquals(before, new int[] {fabric.one.written, fabric.other.written});
    server.channel.close().syncUninterruptibly();
    until("both ends are closed", () -> client.closed && server.closed);
    assertNull(client.failure, () -> String.valueOf(client.failure));
    assertNull(server.failure, () -> String.valueOf(server.failure));
  }

  /** As Vert.x's HTTP client does after the handshake of TLS. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void movedConnectionGoesOnWhenAllHandlersAreRemoved(String transport) {
    connect(transport, false);
    move();
    byte[] first = random(new Random(11), 1_000);
    assertRead(server, written(client, first));
    client.on(() -> {
      for (String name : client.channel.pipeline().names()) {
        if (client.channel.pipeline().get(name) != null) {
          client.channel.pipeline().remove(name);
        }
      }
      client.channel.pipeline().addLast(client);
    });
    assertRead(server, joined(first, written(client, first)));
    assertRead(client, written(server, first));
    assertEquals(2 * first.length, client.handler.sent());
    assertEquals(first.length, server.handler.sent());
  }

  /** Handlers such as those of a proxy and of traffic shaping are added below before the first byte. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void handlerMovesBelowThoseThatWereAddedBeforeTheConnect(String transport) {
    added = pipeline -> pipeline.addFirst(inverting(), new ChannelInboundHandlerAdapter() {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        context.writeAndFlush(Unpooled.wrappedBuffer(new byte[50]));
        context.fireChannelActive();
      }
    });
    connect(transport, false);
    until("both have sent their first bytes", () -> client.size() == 50 && server.size() == 50);
    move();
    byte[] last = random(new Random(12), 1_000);
    assertRead(server, joined(new byte[50], written(client, last)));
    assertEquals(1_000, client.handler.sent());
    assertEquals(1_000, fabric.one.written);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void plaintextEndsConnectionThatRequiresTls(String transport) {
    requiresTls = true;
    connect(transport, false);
    Throwable cause = client.write(new byte[100]).awaitUninterruptibly().cause();
    assertEquals(RdmaException.Reason.ACCESS_DENIED, assertInstanceOf(RdmaException.class, cause).reason());
    until("both ends are closed", () -> client.closed && server.closed);
    assertInstanceOf(RdmaException.class, client.failure.getCause());
    assertEquals(0, server.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionThatRequiresTlsMovesWithIt(String transport) {
    requiresTls = true;
    added = pipeline -> pipeline.addLast(tls(pipeline.channel().parent() != null));
    connect(transport, false);
    byte[] first = random(new Random(13), 1_000);
    assertRead(server, written(client, first));
    move();
    byte[] second = random(new Random(14), 5_000);
    assertRead(server, joined(first, written(client, second)));
    assertTrue(client.handler.sent() > 5_000, client.handler::toString);
    server.on(() -> server.channel.pipeline().remove(SslHandler.class));
    client.write(new byte[10]);
    until("both ends are closed", () -> client.closed && server.closed);
    assertInstanceOf(RdmaException.class, server.failure.getCause());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void cancelledWritesAreNotCounted(String transport) {
    connect(transport, false);
    client.on(() -> {
      ChannelPromise cancelled = client.channel.newPromise();
      assertTrue(cancelled.cancel(false));
      client.channel.write(Unpooled.wrappedBuffer(new byte[77]), cancelled);
    });
    client.write(new byte[50]).syncUninterruptibly();
    move();
    assertRead(server, new byte[50 + written(client, new byte[1_000]).length]);
    until("the client has moved", () -> client.handler.sent() == 1_000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void closeDeliversWhatWasFlushedAndFailsTheRest(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.one.confirms = false;
    ChannelFuture flushed = client.write(new byte[600_000]);
    ChannelFuture unflushed = client.channel.write(Unpooled.wrappedBuffer(new byte[10]));
    ChannelFuture closed = client.channel.close();
    client.on(() -> {
    });
    assertFalse(flushed.isDone() || closed.isDone());
    assertInstanceOf(ClosedChannelException.class, unflushed.cause());
    fabric.one.confirms = true;
    client.on(fabric.one::confirm);
    closed.syncUninterruptibly();
    assertTrue(flushed.isSuccess());
    until("the server is closed", () -> server.closed);
    assertEquals(601_000, server.size());
    assertNull(server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionGoesOnByTcpIfFabricIsLostBeforeItMoves(String transport) {
    connect(transport, false);
    server.on(() -> server.handler.move(fabric.other));
    server.on(() -> fabric.other.over(new IOException("lost")));
    assertEquals(1, server.notMoved.get());
    assertRead(client, written(server, new byte[1_000]));
    assertRead(server, written(client, new byte[500]));
    assertEquals(0, server.handler.sent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void writesThatWaitForFabricThatIsLostGoByTcp(String transport) {
    connect(transport, false);
    client.channel.config().setAutoRead(false);
    server.channel.config().setAutoRead(false);
    byte[] toServer = random(new Random(4), 9_000_000);
    byte[] toClient = random(new Random(5), 9_000_000);
    client.write(toServer);
    server.write(toClient);
    move();
    until("both ends move", () -> client.handler.isMoving() && server.handler.isMoving());
    ChannelFuture[] waiting = {client.write(new byte[1_000]), server.write(new byte[2_000])};
    client.on(() -> fabric.one.over(new IOException("lost")));
    server.on(() -> fabric.other.over(new IOException("lost")));
    client.channel.config().setAutoRead(true);
    server.channel.config().setAutoRead(true);
    assertRead(server, Arrays.copyOf(toServer, 9_001_000));
    assertRead(client, Arrays.copyOf(toClient, 9_002_000));
    assertTrue(waiting[0].syncUninterruptibly().isSuccess() && waiting[1].syncUninterruptibly().isSuccess());
    assertEquals(0, client.handler.sent() + server.handler.sent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionIsResetIfFabricIsLostAfterItMoved(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    assertRead(client, written(server, new byte[1_000]));
    client.on(() -> fabric.one.over(new IOException("the adapter has failed")));
    until("both ends are closed", () -> client.closed && server.closed);
    assertTrue(client.failure.getMessage().contains("the adapter has failed"), client.failure::toString);
    assertTrue(server.failure != null);
  }

  /** Lets bytes of the fabric arrive after the end of TCP, by the event loop, since the reader waits only 0.2 s for them. */
  private static void deliverAfterEnd(Side side, StreamPair.End stream) {
    if (side.channel.isInputShutdown()) {
      stream.delivers = true;
      stream.deliver();
    } else {
      side.channel.eventLoop().schedule(() -> deliverAfterEnd(side, stream), 1, TimeUnit.MILLISECONDS);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void bytesOfFabricAreReadAfterResetOfTcp(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.other.delivers = false;
    client.write(new byte[50_000]).syncUninterruptibly();
    client.on(() -> client.channel.config().setOption(ChannelOption.SO_LINGER, 0));
    client.on(() -> client.channel.unsafe().close(client.channel.voidPromise()));
    server.on(() -> deliverAfterEnd(server, fabric.other));
    until("the server is closed", () -> server.closed);
    assertEquals(51_000, server.size());
    assertTrue(server.failure.getMessage().contains("reset"), server.failure::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void pausedReaderGetsEverythingThatCameBeforeTheClose(String transport) {
    connect(transport, false);
    server.channel.config().setAutoRead(false);
    byte[] byTcp = random(new Random(3), 20_000);
    client.write(byTcp).syncUninterruptibly();
    move();
    until("the client can move", () -> client.handler.isMoving() || client.write(new byte[10]).awaitUninterruptibly(1_000)
      && client.handler.sent() > 0);
    client.write(new byte[5_000]).syncUninterruptibly();
    client.channel.close().syncUninterruptibly();
    server.channel.config().setAutoRead(true);
    until("the server is closed", () -> server.closed);
    assertEquals(20_000 + client.handler.sent(), server.size());
    assertNull(server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionGoesOnByTcpIfItsPeerRefusesTheStream(String transport) {
    connect(transport, false);
    server.on(server.handler::stay);
    client.on(() -> client.handler.move(fabric.one));
    client.write(new byte[1_000]).syncUninterruptibly();
    server.on(() -> server.handler.move(fabric.other));
    assertRead(server, new byte[1_000 + written(client, new byte[500]).length]);
    until("the client has left the stream", () -> client.notMoved.get() == 1);
    assertRead(client, written(server, new byte[700]));
    assertEquals(0, client.handler.sent());
  }

  /** Vert.x writes an empty buffer, and closes the channel when it is written. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void closeOfVertxDoesNotWaitForPeerThatReadsNothing(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.one.confirms = false;
    client.write(new byte[600_000]);
    ChannelFuture last = client.channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    client.on(() -> {
    });
    limit.begin();
    until("the connection is closed", () -> client.closed);
    assertTrue(last.isDone());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionIsResetIfItsFileIsShorterThanTheRegion(String transport) throws Exception {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    Path file = Files.write(folder.resolve("short"), new byte[150_000]);
    ChannelFuture write = client.channel.writeAndFlush(new DefaultFileRegion(file.toFile(), 0, 400_000));
    until("both ends are closed", () -> client.closed && server.closed);
    assertInstanceOf(IOException.class, write.awaitUninterruptibly().cause());
    assertTrue(client.failure.getMessage().contains("cannot read what was to be sent"), client.failure::toString);
    // The reset of TCP may arrive before the reason.
    assertInstanceOf(IOException.class, server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void closeWithoutLingerDoesNotWaitForPeerThatReadsNothing(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    fabric.one.confirms = false;
    client.write(new byte[600_000]);
    client.channel.config().setOption(ChannelOption.SO_LINGER, 0);
    client.channel.close().syncUninterruptibly();
    until("the server is closed", () -> server.closed);
    assertInstanceOf(IOException.class, server.failure);
  }

  @ParameterizedTest
  @CsvSource({"epoll, true", "nio, true", "epoll, false", "nio, false"})
  void forcedConnectionSendsNothingByTcpAndCompletesItsConnectWhenItUsesTheFabric(String transport, boolean alone) {
    ChannelFuture connecting = connectForced(transport, alone);
    byte[] first = random(new Random(15), 300_000);
    byte[] second = random(new Random(16), 1_000);
    // A server that may use TCP has a channel before the client has a stream.
    server.write(first);
    client.write(second);
    server.on(() -> server.handler.move(fabric.other));
    assertFalse(connecting.isDone() || client.active);
    assertTrue(server.active);
    client.on(() -> client.handler.move(fabric.one));
    connecting.syncUninterruptibly();
    assertRead(client, first);
    assertRead(server, second);
    assertTrue(client.active && server.active);
    assertEquals(second.length, client.handler.sent());
    assertEquals(alone ? first.length : 0, server.handler.sent());
    server.on(() -> server.handler.receive(false));
    assertRead(server, joined(second, written(client, first)));
    assertRead(client, joined(first, written(server, second)));
    assertEquals(second.length + first.length, client.handler.sent());
    client.channel.close().syncUninterruptibly();
    until("the server is closed", () -> server.closed);
    assertNull(server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectionUsesItsFabricIfItsServerEndedItsOutputBefore(String transport) {
    ChannelFuture connecting = connectForced(transport, false, true);
    byte[] first = random(new Random(17), 20_000);
    server.write(first).syncUninterruptibly();
    server.channel.shutdownOutput().syncUninterruptibly();
    move();
    connecting.syncUninterruptibly();
    assertRead(client, first);
    until("the client has the end of the server's output", () -> client.ended);
    assertRead(server, written(client, new byte[1_000]));
    assertEquals(1_000, client.handler.sent());
    client.channel.close().syncUninterruptibly();
    until("the server has the end of the client's output", () -> server.ended);
    assertNull(server.failure);
  }

  /** The server's request to use the fabric follows its last word. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectionIsToldOfTheEndThatCameBeforeItWasOpen(String transport) {
    server.asks = false;
    ChannelFuture connecting = connectForced(transport, false, true);
    byte[] first = random(new Random(20), 20_000);
    server.write(first).syncUninterruptibly();
    server.channel.shutdownOutput().syncUninterruptibly();
    move();
    server.on(() -> server.handler.receive(true));
    connecting.syncUninterruptibly();
    assertRead(client, first);
    until("the client has the end of the server's output", () -> client.ended);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void serverOfFabricAloneEndsItsOutputAfterWhatItWroteBeforeItUsedTheFabric(String transport) {
    ChannelFuture connecting = connectForced(transport, true, true);
    byte[] first = random(new Random(21), 20_000);
    ChannelFuture write = server.write(first);
    server.channel.shutdownOutput().syncUninterruptibly();
    assertInstanceOf(ClosedChannelException.class, server.write(new byte[1]).awaitUninterruptibly().cause());
    move();
    connecting.syncUninterruptibly();
    assertRead(client, first);
    write.syncUninterruptibly();
    until("the client has the end of the server's output", () -> client.ended);
    assertRead(server, written(client, new byte[1_000]));
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectFailsIfItsFabricIsLostAfterItsServerUsedIt(String transport) {
    server.asks = false;
    ChannelFuture lost = connectForced(transport, false);
    move();
    until("the server uses the fabric", () -> server.handler.toString().startsWith("output FABRIC"));
    client.on(() -> fabric.one.over(new IOException("lost")));
    assertEquals(1, client.notMoved.get());
    client.on(() -> client.handler.openEnded(new IOException("the fabric is lost")));
    assertEquals("the fabric is lost", lost.awaitUninterruptibly().cause().getMessage());
  }

  @ParameterizedTest
  @CsvSource({"epoll, false", "epoll, true", "nio, false", "nio, true"})
  void forcedConnectionDeliversWhatItsServerWroteBeforeItClosed(String transport, boolean hadStream) {
    ChannelFuture connecting = connectForced(transport, false);
    byte[] first = random(new Random(18), 20_000);
    if (hadStream) {
      client.on(() -> client.handler.move(fabric.one));
      client.on(() -> fabric.one.over(null));
    }
    server.write(first).syncUninterruptibly();
    server.channel.close().syncUninterruptibly();
    client.on(() -> client.handler.openEnded(new IOException("the end does not follow")));
    connecting.syncUninterruptibly();
    assertRead(client, first);
    until("the client is closed", () -> client.closed);
    assertNull(client.failure);
    assertEquals(0, client.handler.sent());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectionWaitsWhileItsServerSendsWhatItWroteBeforeItCloses(String transport) {
    ChannelFuture connecting = connectForced(transport, false);
    byte[] first = random(new Random(19), 8_000_000);
    // The server's event loop closes, since the client waits only 0.2 s for more bytes.
    server.write(first).addListener(written -> server.channel.close());
    client.on(() -> client.handler.openEnded(new IOException("the end does not follow")));
    connecting.syncUninterruptibly();
    assertRead(client, first);
    assertInstanceOf(ClosedChannelException.class, client.write(new byte[1]).awaitUninterruptibly().cause());
    until("the client is closed", () -> client.inactive);
    assertNull(client.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectFailsIfItsServerSendsTooMuchBeforeItCloses(String transport) {
    ChannelFuture connecting = connectForced(transport, false);
    server.write(new byte[(16 << 20) + 1]).addListener(written -> server.channel.close());
    client.on(() -> client.handler.openEnded(new IOException("no fabric is open")));
    assertEquals("no fabric is open", connecting.awaitUninterruptibly().cause().getMessage());
    assertFalse(client.active);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void connectionIsResetIfBytesByTcpOvertakeTooManyOfTheFabric(String transport) {
    connect(transport, false);
    move();
    assertRead(server, written(client, new byte[1_000]));
    // The server does not know that the client has returned to TCP.
    fabric.other.delivers = false;
    client.on(() -> client.channel.pipeline().addFirst(new ChannelDuplexHandler()));
    client.write(new byte[(4 << 20) + 1]);
    until("the connection is reset", () -> server.closed);
    assertTrue(server.failure.getMessage().contains("it sent bytes by TCP after it had moved its output"), server.failure::toString);
    assertEquals(1_000, server.size());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void serverOfFabricAloneClosesAfterWhatItFlushedBeforeItUsedTheFabric(String transport) {
    ChannelFuture connecting = connectForced(transport, true);
    byte[] first = random(new Random(22), 20_000);
    ChannelFuture flushed = server.write(first);
    ChannelFuture unflushed = server.channel.write(Unpooled.wrappedBuffer(first));
    ChannelFuture close = server.channel.close();
    ChannelFuture again = server.channel.close();
    assertInstanceOf(ClosedChannelException.class, unflushed.awaitUninterruptibly().cause());
    assertInstanceOf(ClosedChannelException.class, server.write(first).awaitUninterruptibly().cause());
    move();
    connecting.syncUninterruptibly();
    assertRead(client, first);
    flushed.syncUninterruptibly();
    close.syncUninterruptibly();
    again.syncUninterruptibly();
    until("both ends are closed", () -> client.closed && server.inactive);
    assertNull(server.failure);
    assertNull(client.failure);
  }

  @ParameterizedTest
  @CsvSource({"epoll, true", "nio, true", "epoll, false", "nio, false"})
  void serverOfFabricAloneMayCloseAgainWhenItsWritesFail(String transport, boolean flushed) {
    ChannelFuture connecting = connectForced(transport, true);
    if (flushed) {
      server.write(new byte[1_000]);
    }
    ChannelFuture[] closes = new ChannelFuture[2];
    server.on(() -> {
      server.channel.write(Unpooled.wrappedBuffer(new byte[1])).addListener(failed -> closes[0] = server.channel.close());
      closes[1] = server.channel.close();
    });
    if (flushed) {
      move();
      connecting.syncUninterruptibly();
      assertRead(client, new byte[1_000]);
    }
    until("the server is told", () -> server.inactive);
    closes[0].syncUninterruptibly();
    closes[1].syncUninterruptibly();
    assertNull(server.failure);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void serverOfFabricAloneThatClosesBeforeItsFabricIsRefusedFailsItsWrites(String transport) {
    connectForced(transport, true);
    ChannelFuture write = server.write(new byte[20_000]);
    ChannelFuture close = server.channel.close();
    server.on(() -> server.handler.refuse(new IOException("no fabric")));
    assertFalse(write.awaitUninterruptibly().isSuccess());
    close.syncUninterruptibly();
    assertNull(server.failure, "the application has closed the channel");
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void serverOfFabricAloneClosesAtOnceBeforeItUsesTheFabric(String transport) {
    connectForced(transport, true);
    until("the server is active", () -> server.active);
    server.channel.close().syncUninterruptibly();
    until("the server is told", () -> server.inactive);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectFailsIfItsServerDoesNotEnd(String transport) {
    ChannelFuture connecting = connectForced(transport, false);
    server.write(new byte[20_000]).syncUninterruptibly();
    client.on(() -> client.handler.openEnded(new IOException("the end does not follow")));
    assertEquals("the end does not follow", connecting.awaitUninterruptibly().cause().getMessage());
    assertFalse(client.active);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectFailsWithTheReasonIfItIsRefused(String transport) {
    ChannelFuture refused = connectForced(transport, true);
    client.on(() -> client.handler.move(fabric.one));
    client.on(() -> client.handler.refuse(new IOException("no fabric")));
    assertEquals("no fabric", refused.awaitUninterruptibly().cause().getMessage());
    server.on(() -> server.handler.refuse(new IOException("no fabric")));
    until("both ends are closed", () -> client.closed && server.inactive);
    assertFalse(client.active || client.inactive);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectDoesNotUseTcpIfItsFabricIsLost(String transport) {
    ChannelFuture lost = connectForced(transport, true);
    client.on(() -> client.handler.move(fabric.one));
    client.on(() -> fabric.one.over(new IOException("lost")));
    assertEquals(1, client.notMoved.get());
    assertFalse(lost.isDone());
    client.channel.close();
    assertInstanceOf(ClosedChannelException.class, lost.awaitUninterruptibly().cause());
    assertFalse(client.active);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectionIsResetIfItsServerAddsTlsLater(String transport) {
    ChannelFuture connecting = connectForced(transport, false);
    move();
    connecting.syncUninterruptibly();
    assertRead(server, written(client, new byte[1_000]));
    assertRead(client, written(server, new byte[1_000]));
    server.on(() -> server.channel.pipeline().addFirst(tls(true)));
    server.write(new byte[10]);
    until("both ends are closed", () -> client.closed && server.closed);
    assertTrue(client.failure.getMessage().contains("it returned to TCP"), client.failure::toString);
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void forcedConnectionIsResetIfItAddsTlsLater(String transport) {
    ChannelFuture connecting = connectForced(transport, false);
    move();
    connecting.syncUninterruptibly();
    // Before that, the server takes bytes by TCP.
    until("the server reads from the fabric", () -> server.handler.toString().contains("input FABRIC"));
    client.on(() -> client.channel.pipeline().addFirst(tls(false)));
    client.write(new byte[10]);
    until("both ends are closed", () -> client.closed && server.closed);
    assertTrue(client.failure.getMessage().contains("a handler was added to the connection"), client.failure::toString);
    assertEquals(0, server.size());
  }
}
