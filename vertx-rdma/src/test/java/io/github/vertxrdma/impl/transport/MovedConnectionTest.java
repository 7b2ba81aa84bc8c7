package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import io.vertx.core.parsetools.RecordParser;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A connection moves from a TCP connection to another stream, here a second TCP connection. The server reads messages as that of the event
 * bus does.
 */
@Timeout(60)
class MovedConnectionTest {
  private static final int CLOSE_IDLE_MILLIS = 60_000;

  private final Vertx vertx = Vertx.vertx();
  private final List<Integer> read = Collections.synchronizedList(new ArrayList<>());
  private final List<AtomicInteger> readBy = Collections.synchronizedList(new ArrayList<>());
  private final List<Context> contexts = Collections.synchronizedList(new ArrayList<>());
  private final AtomicInteger answers = new AtomicInteger();
  private MultiThreadIoEventLoopGroup group;
  private Promise<Void> known;
  private RdmaChannel channel;
  private volatile Runnable lose;

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
    if (group != null) {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }
  }

  /** Reads messages as the event bus's server does: a length, then the bytes. Answers empty ones with a byte. */
  private final class Server extends VerticleBase {
    private final int port;

    Server(int port) {
      this.port = port;
    }

    @Override
    public Future<?> start() {
      return vertx.createNetServer().connectHandler(this::accept).listen(port, "127.0.0.1");
    }

    private void accept(NetSocket socket) {
      AtomicInteger count = new AtomicInteger();
      readBy.add(count);
      contexts.add(context);
      RecordParser parser = RecordParser.newFixed(Integer.BYTES);
      boolean[] body = new boolean[1];
      parser.setOutput(bytes -> {
        body[0] = !body[0];
        if (body[0]) {
          parser.fixedSizeMode(bytes.getInt(0));
          return;
        }
        parser.fixedSizeMode(Integer.BYTES);
        count.incrementAndGet();
        read.add(number(bytes));
        if (bytes.length() == Integer.BYTES) {
          socket.write(Buffer.buffer(new byte[] {1}));
        }
      });
      socket.handler(parser);
    }
  }

  /** Returns the number of a message, or -1 if its content is wrong. */
  private static int number(Buffer message) {
    int number = message.getInt(0);
    for (int i = Integer.BYTES; i < message.length(); i++) {
      if (message.getByte(i) != (byte) (number + i)) {
        return -1;
      }
    }
    return number;
  }

  private static ByteBuf message(int number, int size) {
    ByteBuf message = Unpooled.buffer().writeInt(Integer.BYTES + size).writeInt(number);
    for (int i = Integer.BYTES; i < Integer.BYTES + size; i++) {
      message.writeByte(number + i);
    }
    return message;
  }

  private int serve() throws Exception {
    int port = StackSettings.freePort();
    await(vertx.deployVerticle(() -> new Server(port), new DeploymentOptions().setInstances(2)));
    return port;
  }

  private void connect(String transport, int port) throws Exception {
    boolean epoll = transport.equals("epoll");
    IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    ChannelFactory<Channel> sockets = epoll ? EpollSocketChannel::new : NioSocketChannel::new;
    group = new MultiThreadIoEventLoopGroup(1, handlers);
    known = Promise.promise();
    InetSocketAddress server = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    channel = (RdmaChannel) new Bootstrap().group(group).handler(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        answers.addAndGet(((ByteBuf) message).readableBytes());
        ((ByteBuf) message).release();
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // The exception comes before the close, which the tests check.
      }
    }).channelFactory(() -> new RdmaChannel((made, remote, local) -> tcp(made, sockets, remote).map(first -> new MovableStream(first,
      made.eventLoop(), () -> known.future().compose(v -> tcp(made, sockets, remote)).map(this::losable), made::resumeWrites)), false))
      .connect(server).sync().channel();
  }

  private ByteStream losable(ByteStream stream) {
    return (ByteStream) Proxy.newProxyInstance(ByteStream.class.getClassLoader(), new Class<?>[] {ByteStream.class},
      (proxy, method, arguments) -> {
        if (method.getName().equals("start")) {
          ByteStream.Receiver receiver = (ByteStream.Receiver) arguments[0];
          lose = () -> channel.eventLoop().execute(() -> {
            stream.close();
            receiver.closed(new IOException("the adapter has failed"));
          });
        }
        return method.invoke(stream, arguments);
      });
  }

  private static Future<ByteStream> tcp(RdmaChannel channel, ChannelFactory<Channel> sockets, SocketAddress remote) {
    return TcpStream.open(channel.eventLoop(), sockets, Map.of(), CLOSE_IDLE_MILLIS).compose(stream -> stream.connect(remote, null));
  }

  private void assertAllRead(int count) {
    until("the server has read " + count + " messages", () -> read.size() >= count);
    for (int i = 0; i < count; i++) {
      assertEquals(i, read.get(i));
    }
    assertEquals(2, readBy.size());
    assertEquals(count, readBy.get(0).get() + readBy.get(1).get());
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void orderContentAndAnswersAreKeptUnderLoad(String transport) throws Exception {
    connect(transport, serve());
    Random random = new Random(1);
    List<ChannelFuture> writes = new ArrayList<>();
    int pings = 0;
    for (int i = 0; i < 20_000; i++) {
      int size = random.nextInt(50) == 0 ? 0 : random.nextInt(500) == 0 ? random.nextInt(2_000_000) : random.nextInt(1_000);
      pings += size == 0 ? 1 : 0;
      writes.add(channel.writeAndFlush(message(i, size)));
      if (i == 10_000) {
        known.complete();
      }
      if (i % 1_000 == 0) {
        writes.getLast().sync();
      }
    }
    for (ChannelFuture write : writes) {
      assertTrue(write.await(20, TimeUnit.SECONDS) && write.isSuccess());
    }
    int all = writeUntilOneTakesTheNewConnection(20_000, 10);
    assertAllRead(all);
    assertTrue(readBy.get(0).get() > 1_000, readBy.toString());
    int expected = pings;
    until("all answers came", () -> answers.get() == expected);
    assertTrue(channel.isActive());
  }

  /**
   * Writes messages, each when the server has read the one before.
   *
   * @return the number of the next message
   */
  private int writeUntilOneTakesTheNewConnection(int first, int size) {
    AtomicInteger next = new AtomicInteger(first);
    until("a message takes the new connection", () -> {
      channel.writeAndFlush(message(next.getAndIncrement(), size)).syncUninterruptibly();
      until("the server has read it", () -> read.size() == next.get());
      return readBy.size() == 2 && readBy.getLast().get() > 0;
    });
    return next.get();
  }

  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void completedWritesArriveWhenFabricIsLostWhileConnectionMoves(String transport) throws Exception {
    connect(transport, serve());
    channel.writeAndFlush(message(0, 10)).sync();
    until("the server has read it", () -> read.size() == 1);
    CountDownLatch stopped = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    contexts.getFirst().runOnContext(v -> {
      stopped.countDown();
      assertDoesNotThrow(() -> end.await());
    });
    stopped.await();
    List<ChannelFuture> completed = new ArrayList<>();
    ChannelFuture waiting;
    try {
      ChannelFuture next = channel.writeAndFlush(message(1, 100_000));
      while (next.await(200)) {
        completed.add(next);
        next = channel.writeAndFlush(message(completed.size() + 1, 100_000));
      }
      known.complete();
      until("it is moving, and the new stream can be lost", () -> channel.stream().window() == 0 && lose != null);
      waiting = channel.writeAndFlush(message(completed.size() + 2, 10));
      lose.run();
    } finally {
      end.countDown();
    }
    assertTrue(channel.closeFuture().await(20, TimeUnit.SECONDS));
    assertFalse(waiting.await().isSuccess());
    until("the server has read all", () -> read.size() > completed.size());
    List<Integer> soFar = List.copyOf(read);
    assertEquals(IntStream.range(0, soFar.size()).boxed().toList(), soFar);
  }

  /** The kernel of a process that is killed resets a connection with unread bytes. */
  @ParameterizedTest
  @ValueSource(strings = {"epoll", "nio"})
  void writesFailWhenPeerDiesBeforeItReadEverything(String transport) throws Exception {
    try (ServerSocket server = new ServerSocket(0, 10, InetAddress.ofLiteral("127.0.0.1"))) {
      connect(transport, server.getLocalPort());
      Socket first = server.accept();
      first.setSoLinger(true, 0);
      ChannelFuture taken = channel.writeAndFlush(message(0, 10)).sync();
      known.complete();
      Socket second = server.accept();
      second.setSoLinger(true, 0);
      until("it is moving", () -> channel.stream().window() == 0);
      ChannelFuture waiting = channel.writeAndFlush(message(1, 10));
      assertFalse(waiting.await(100));
      second.close();
      first.close();
      assertTrue(channel.closeFuture().await(20, TimeUnit.SECONDS));
      assertTrue(taken.isSuccess());
      assertFalse(waiting.await().isSuccess());
    }
  }
}
