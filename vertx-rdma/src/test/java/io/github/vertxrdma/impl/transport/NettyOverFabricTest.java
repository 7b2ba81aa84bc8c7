package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.node.ConnectionPrefix;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.node.SharedNode;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.spi.transport.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class NettyOverFabricTest {
  @TempDir
  Path folder;
  private StackSettings settings;
  private VertxInternal vertx;
  private RdmaDirectory directory;
  private long channels;

  @BeforeEach
  void start() throws Exception {
    settings = new StackSettings(folder, StackSettings.options(folder, StackSettings.fabric()));
    System.setProperty(TransportOptions.STREAMS, "all");
    vertx = (VertxInternal) Vertx.vertx();
    channels = TransportCounters.PROCESS.channels();
  }

  @AfterEach
  void stop() throws Exception {
    await(vertx.close());
    settings.close();
  }

  private void startNode() throws Exception {
    directory = await(Rdma.create(vertx, StackSettings.options(folder, StackSettings.fabric())).directory());
  }

  private ServerBootstrap server() {
    return new ServerBootstrap().group(vertx.acceptorEventLoopGroup(), vertx.nettyEventLoopGroup())
      .channelFactory(vertx.transport().serverChannelFactory(false));
  }

  private Channel connect(SocketAddress server) throws Exception {
    return connecting(server).sync().channel();
  }

  private ChannelFuture connecting(SocketAddress server) {
    InetSocketAddress address = (InetSocketAddress) server;
    Transport transport = vertx.transport();
    ChannelFactory<? extends Channel> factory = transport.channelFactory(false);
    SocketAddress remote = transport.convert(io.vertx.core.net.SocketAddress.inetSocketAddress(address.getPort(), "127.0.0.1"));
    // An address that a thread converts belongs to the channel that the thread creates next.
    return new Bootstrap().group(vertx.nettyEventLoopGroup()).channelFactory(factory::newChannel)
      .handler(new ChannelInboundHandlerAdapter()).connect(remote);
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.US_ASCII);
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0);
  }

  private static final class OneChannel extends SimpleChannelInboundHandler<ByteBuf> {
    final Queue<String> read = new ConcurrentLinkedQueue<>();

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
      read.add(message.toString(StandardCharsets.US_ASCII));
    }
  }

  @ChannelHandler.Sharable
  private static final class Nothing extends ChannelInboundHandlerAdapter {
  }

  @Test
  void aServersHandlersMeetAcceptedChannelsOnly() throws Exception {
    Queue<Object> accepted = new ConcurrentLinkedQueue<>();
    OneChannel child = new OneChannel();
    Channel server = server().handler(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        accepted.add(message);
        context.fireChannelRead(message);
      }
    }).childHandler(child).bind(loopback()).sync().channel();
    startNode();
    Channel client = connect(server.localAddress());
    client.writeAndFlush(text("hello")).sync();
    until("the one child reads", () -> List.copyOf(child.read).equals(List.of("hello")));
    assertEquals(1, accepted.size());
    assertEquals(channels + 2, TransportCounters.PROCESS.channels());
    client.close().sync();
    server.close().sync();
  }

  @Test
  void connectCompletesWhenTheServerHasAcceptedTheConnection() throws Exception {
    Queue<Object> accepted = new ConcurrentLinkedQueue<>();
    Channel server = server().option(ChannelOption.AUTO_READ, false).handler(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext context, Object message) {
        accepted.add(message);
        context.fireChannelRead(message);
      }
    }).childHandler(new Nothing()).bind(loopback()).sync().channel();
    startNode();
    List<ChannelFuture> connecting = List.of(connecting(server.localAddress()), connecting(server.localAddress()));
    until("both look for the server", () -> connecting.stream().allMatch(each -> each.channel().isActive()));
    assertTrue(accepted.isEmpty() && connecting.stream().noneMatch(ChannelFuture::isDone));
    server.config().setAutoRead(true);
    for (ChannelFuture each : connecting) {
      each.sync().channel().close().sync();
    }
    until("the channels are counted at both ends", () -> TransportCounters.PROCESS.channels() == channels + 4);
    server.close().sync();
  }

  @Test
  void serverKnowsNoConnectionAfterItsFabricWasOpenAndItEnded() throws Exception {
    Queue<Channel> accepted = new ConcurrentLinkedQueue<>();
    Channel server = server().childHandler(new ChannelInboundHandlerAdapter() {
      @Override
      public void channelActive(ChannelHandlerContext context) {
        accepted.add(context.channel());
      }
    }).bind(loopback()).sync().channel();
    startNode();
    Channel client = connect(server.localAddress());
    InetSocketAddress from = (InetSocketAddress) client.localAddress();
    client.close().sync();
    until("the server has closed its end", () -> accepted.stream().anyMatch(each -> !each.isOpen()));
    Node node = await(SharedNode.acquire((VertxInternal) vertx, StackSettings.options(folder, StackSettings.fabric()), null).node());
    NodeEntry own = await(node.directory().awaitNode(node.directory().nodeId(), Duration.ofSeconds(20)));
    Throwable cause = assertThrows(ExecutionException.class, () -> await(LoopCall.on(client.eventLoop(), () -> node.connections()
      .ask(own, from, (InetSocketAddress) server.localAddress(), new ConnectionPrefix(), client.eventLoop(), 20_000))))
      .getCause();
    assertEquals(RdmaException.Reason.NOT_FOUND, ((RdmaException) cause).reason(), "a new connection may have the same addresses");
    server.close().sync();
  }

  @Test
  void aServerThatIsClosedBeforeTheFabricListensLeavesNothing() throws Exception {
    Channel server = server().childHandler(new ChannelInboundHandlerAdapter()).bind(new InetSocketAddress(0)).channel();
    until("TCP listens", server::isActive);
    int port = ((InetSocketAddress) server.localAddress()).getPort();
    server.close().sync();
    startNode();
    List<String> left = directory.services().stream().map(ServiceEntry::name).filter(name -> name.endsWith(":" + port)).toList();
    assertTrue(left.isEmpty(), () -> left + " is in the directory");
  }

  @Test
  void aServerOnAllAddressesIsClosedAfterItsNode() throws Exception {
    Channel server = server().childHandler(new ChannelInboundHandlerAdapter()).bind(new InetSocketAddress(0)).sync().channel();
    Promise<Void> closed = Promise.promise();
    await(vertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> stop() {
        server.close().addListener(done -> closed.complete(null, done.cause()));
        return closed.future();
      }
    }));
    await(vertx.close());
    await(closed.future());
  }

  @Test
  void addressesAreConvertedAfterTheEnd() throws Exception {
    startNode();
    await(vertx.close());
    Transport transport = vertx.transport();
    assertEquals(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 1),
      transport.convert(io.vertx.core.net.SocketAddress.inetSocketAddress(1, "127.0.0.1")));
  }
}
