package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.impl.poll.PollPolicies;
import io.github.vertxrdma.provider.contract.LogLines;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramChannelConfig;
import io.netty.channel.socket.InternetProtocolFamily;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.unix.IntegerUnixChannelOption;
import io.netty.channel.unix.UnixChannelOption;
import io.vertx.core.Completable;
import io.vertx.core.Vertx;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.TcpConfig;
import io.vertx.core.net.TcpOption;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.cluster.ClusterManager;
import io.vertx.core.spi.cluster.NodeInfo;
import io.vertx.core.transport.Transport;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TransportInstallerTest {
  @TempDir
  Path folder;

  private static io.vertx.core.spi.transport.Transport transportOf(Transport asked, String property, String value) throws Exception {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
    if (property != null) {
      System.setProperty(property, value);
    }
    try {
      Vertx vertx = Vertx.builder().withTransport(asked).build();
      try {
        return ((VertxInternal) vertx).transport();
      } finally {
        vertx.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
      }
    } finally {
      if (property != null) {
        System.clearProperty(property);
      }
    }
  }

  @Test
  void epollIsWrappedAndNioIsReplacedByIt() throws Exception {
    for (Transport asked : new Transport[] {Transport.EPOLL, Transport.NIO}) {
      RdmaTransport ours = assertInstanceOf(RdmaTransport.class, transportOf(asked, null, null));
      assertEquals(Transport.EPOLL.implementation().getClass(), ours.stock().getClass());
    }
  }

  private static Map<ChannelOption<?>, Object> tcpOptions(io.vertx.core.spi.transport.Transport transport) {
    TcpConfig config = new TcpConfig().setSoReusePort(true).setSoLinger(1).setOption(TcpOption.NODELAY, true)
      .setOption(TcpOption.QUICKACK, true).setOption(TcpOption.CORK, true).setOption(TcpOption.USER_TIMEOUT, 1000)
      .setOption(TcpOption.FASTOPEN, 16).setOption(TcpOption.FASTOPEN_CONNECT, true).setOption(TcpOption.KEEPCNT, 2)
      .setOption(TcpOption.KEEPIDLE, 2).setOption(TcpOption.KEEPINTVL, 2);
    ServerBootstrap server = new ServerBootstrap();
    transport.configure(config, false, server);
    Bootstrap client = new Bootstrap();
    transport.configure(config, false, client);
    Map<ChannelOption<?>, Object> all = new HashMap<>(server.config().options());
    all.putAll(server.config().childOptions());
    all.putAll(client.config().options());
    return all;
  }

  /** Value that getsockopt(2) would return for each option, also for those that a channel cannot set. */
  @SuppressWarnings("deprecation")
  private static List<Object> datagramOptions(io.vertx.core.spi.transport.Transport transport) throws Exception {
    DatagramSocketOptions options = new DatagramSocketOptions().setReusePort(true).setReuseAddress(true).setBroadcast(true)
      .setMulticastTimeToLive(3).setMulticastNetworkInterface("lo").setTrafficClass(8);
    List<Object> all = new ArrayList<>();
    for (boolean loopbackDisabled : new boolean[] {true, false}) {
      DatagramChannel channel = transport.datagramChannel(InternetProtocolFamily.IPv4);
      transport.configure(channel, options.setLoopbackModeDisabled(loopbackDisabled));
      DatagramChannelConfig config = channel.config();
      // Netty's NIO channel returns IP_MULTICAST_LOOP itself, and the time to live of multicast.
      boolean nio = channel instanceof NioDatagramChannel;
      boolean loop = nio ? config.isLoopbackModeDisabled() : !config.isLoopbackModeDisabled();
      int unicast = nio ? Integer.parseInt(Files.readAllLines(Path.of("/proc/sys/net/ipv4/ip_default_ttl")).getFirst())
        : config.getTimeToLive();
      all.addAll(Arrays.asList(unicast, nio ? config.getTimeToLive() : config.getOption(new IntegerUnixChannelOption("", 0, 33)),
        config.getNetworkInterface(), config.getTrafficClass(), config.isBroadcast(),
        config.isReuseAddress(), loop, Boolean.TRUE.equals(config.getOption(UnixChannelOption.SO_REUSEPORT))));
      channel.unsafe().closeForcibly();
    }
    return all;
  }

  @Test
  void optionsAreThoseOfTheTransportThatWasAskedFor() throws Exception {
    for (Transport asked : new Transport[] {Transport.EPOLL, Transport.NIO}) {
      io.vertx.core.spi.transport.Transport ours = transportOf(asked, null, null);
      assertEquals(tcpOptions(asked.implementation()), tcpOptions(ours));
      assertEquals(datagramOptions(asked.implementation()), datagramOptions(ours));
    }
  }

  @Test
  void bootstrapWithoutTransportUsesEpollInPlaceOfNio() throws Exception {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
    Vertx vertx = VertxBootstrap.create().init().vertx();
    RdmaTransport ours = assertInstanceOf(RdmaTransport.class, ((VertxInternal) vertx).transport());
    assertEquals(Transport.EPOLL.implementation().getClass(), ours.stock().getClass());
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  /** Starts a clustered Vert.x and returns the metadata that it publishes; null for none. */
  private static JsonObject metadataOf(VertxBootstrap bootstrap) throws Exception {
    AtomicReference<NodeInfo> published = new AtomicReference<>();
    ClusterManager manager = (ClusterManager) Proxy.newProxyInstance(TransportInstallerTest.class.getClassLoader(),
      new Class<?>[] {ClusterManager.class}, (proxy, method, arguments) -> {
        if (method.getName().equals("setNodeInfo")) {
          published.set((NodeInfo) arguments[0]);
        }
        if (arguments != null && arguments[arguments.length - 1] instanceof Completable<?> done) {
          done.succeed();
        }
        return switch (method.getName()) {
          case "getNodeId" -> "node";
          case "getNodes" -> List.of("node");
          case "getNodeInfo" -> published.get();
          case "isActive" -> true;
          default -> null;
        };
      });
    bootstrap.options().getEventBusOptions().setHost("127.0.0.1");
    bootstrap.clusterManager(manager).clusteredVertx().await(30, TimeUnit.SECONDS).close().await(30, TimeUnit.SECONDS);
    return published.get().metadata();
  }

  private void options(String json) throws IOException {
    System.setProperty(TransportOptions.FILE, Files.writeString(folder.resolve("vertx-rdma.json"), json).toString());
  }

  @AfterEach
  void resetOptions() {
    System.clearProperty(TransportOptions.FILE);
  }

  @Test
  void transportSetAfterInitIsKeptAndLeavesNoMarkInTheMetadata() throws Exception {
    assumeTrue(Transport.EPOLL != null && Transport.EPOLL.available(), "epoll is not available here");
    options("{\"directory\": {\"type\": \"same-host\", \"path\": \"" + folder + "\"}}");
    assertTrue(metadataOf(VertxBootstrap.create().init()).containsKey(ClusterMembers.LIBRARY));
    VertxBootstrap own = VertxBootstrap.create().init();
    assertNull(metadataOf(own.transport(Transport.EPOLL.implementation())));
    assertEquals(Transport.EPOLL.implementation(), own.transport());
  }

  @Test
  void transportSetAfterInitIsRefusedWithAForcedFabric() throws Exception {
    Vertx vertx = VertxBootstrap.create().init().transport(new OwnTransport()).vertx();
    options("{\"fabric\": \"nio\", \"transport\": {\"streams\": \"all\"}}");
    assertEquals("cannot start with fabric 'nio' forced, since the event bus, servers and clients would stay on TCP: "
      + "VertxBootstrap.init() ran before the transport was set, or without the service provider of vertx-rdma",
      assertThrows(IllegalStateException.class, () -> TransportInstaller.created(vertx))
        .getMessage());
    vertx.close().await(30, TimeUnit.SECONDS);
  }

  @Test
  void ioUringIsWrapped() throws Exception {
    assumeTrue(Transport.IO_URING != null && Transport.IO_URING.available(), "io_uring is not available here");
    RdmaTransport ours = assertInstanceOf(RdmaTransport.class, transportOf(Transport.IO_URING, null, null));
    assertEquals(Transport.IO_URING.implementation().getClass(), ours.stock().getClass());
  }

  @Test
  void transportOfAnotherMakerIsWrapped() throws Exception {
    OwnTransport own = new OwnTransport();
    RdmaTransport ours = assertInstanceOf(RdmaTransport.class, transportOf(own, null, null));
    assertEquals(own, ours.stock());
  }

  @Test
  void transportThatMakesItsEventLoopsOrNoHandlersStaysAsItIs() throws Exception {
    OwnTransport loops = new OwnTransport() {
      @Override
      public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory threadFactory, int ioRatio) {
        return super.eventLoopGroup(type, threads, threadFactory, ioRatio);
      }
    };
    assertEquals(loops, transportOf(loops, null, null));
    assertEquals(loops.getClass().getName() + " creates its event loops itself", RdmaTransport.obstacle(loops));
    OwnTransport missing = new OwnTransport() {
      @Override
      public boolean isAvailable() {
        return false;
      }

      @Override
      public Throwable unavailabilityCause() {
        return new IllegalStateException("no such kernel");
      }
    };
    assertEquals("it is not available: java.lang.IllegalStateException: no such kernel", RdmaTransport.obstacle(missing));
    OwnTransport broken = new OwnTransport() {
      @Override
      public IoHandlerFactory ioHandlerFactory() {
        throw new UnsupportedOperationException("none");
      }
    };
    assertEquals("its I/O handlers cannot be created: java.lang.UnsupportedOperationException: none", RdmaTransport.obstacle(broken));
  }

  @Test
  void supportFileRegionIsThatOfTheStockTransport() throws Exception {
    assertTrue(transportOf(Transport.EPOLL, null, null).supportFileRegion());
    assertTrue(transportOf(Transport.EPOLL, TransportOptions.STREAMS, "all").supportFileRegion());
  }

  @Test
  void itCanBeSwitchedOffAndOneLineSaysSo() throws Exception {
    RdmaVertxServiceProvider.OFF_LOGGED.set(false);
    try (LogLines log = new LogLines(RdmaVertxServiceProvider.class)) {
      assertEquals(Transport.NIO.implementation(), transportOf(Transport.NIO, "vertx.rdma", "off"));
      assertEquals(Transport.EPOLL.implementation(), transportOf(Transport.EPOLL, "vertx.rdma", "off"));
      assertEquals(1, log.lines().stream().filter(line -> line.contains("-Dvertx.rdma=off")).count());
    }
  }

  @Test
  void aPolicyThatDoesNotExistIsNamed() {
    String message = assertThrows(IllegalArgumentException.class, () -> transportOf(Transport.EPOLL, PollPolicies.PROPERTY, "eager"))
      .getMessage();
    assertTrue(message.contains("eager") && message.contains("adaptive"), message);
  }

  private interface Grown extends io.vertx.core.spi.transport.Transport {
    @SuppressWarnings("UnusedMethod")
    default boolean supportsSomethingNew() {
      return true;
    }
  }

  @Test
  void aTransportContractThatHasGrownDoesNotFit() {
    TransportInstaller.requireFit(io.vertx.core.spi.transport.Transport.class, RdmaTransport.class);
    String message = assertThrows(LinkageError.class, () -> TransportInstaller.requireFit(Grown.class, RdmaTransport.class)).getMessage();
    assertTrue(message.contains("supportsSomethingNew"), message);
  }

  private static final class Without extends ClassLoader {
    private final String missing;

    Without(String missing) {
      super(TransportInstallerTest.class.getClassLoader());
      this.missing = missing;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.equals(missing)) {
        throw new ClassNotFoundException(name);
      }
      if (!name.startsWith("io.github.vertxrdma.")) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
          byte[] bytes = in.readAllBytes();
          return defineClass(name, bytes, 0, bytes.length);
        } catch (IOException e) {
          throw new ClassNotFoundException(name, e);
        }
      }
    }
  }

  @Test
  void anotherVertxKeepsItsTransportAndOneLineSaysWhatWorks() throws Exception {
    Class<?> type = new Without("io.vertx.core.net.TcpConfig").loadClass(RdmaVertxServiceProvider.class.getName());
    VertxServiceProvider provider = (VertxServiceProvider) type.getDeclaredConstructor().newInstance();
    List<String> lines;
    try (LogLines log = new LogLines(RdmaVertxServiceProvider.class)) {
      io.vertx.core.spi.transport.Transport stock = Transport.NIO.implementation();
      for (int i = 0; i < 2; i++) {
        VertxBootstrap bootstrap = VertxBootstrap.create().transport(stock);
        provider.init(bootstrap);
        assertEquals(stock, bootstrap.transport());
      }
      lines = log.lines();
    }
    assertEquals(1, lines.size(), lines.toString());
    for (String part : new String[] {"event bus, servers and clients of Vert.x " + version() + " stay on TCP",
      "io/vertx/core/net/TcpConfig",
      "Rdma.create() work", "Use Vert.x 5.1 and 5.2"}) {
      assertTrue(lines.getFirst().contains(part), lines.toString());
    }
  }

  private static String version() throws IOException {
    try (InputStream in = Vertx.class.getResourceAsStream("/META-INF/vertx/vertx-version.txt")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
    }
  }

  @Test
  void onlyVersionsThatWereNotTestedHaveALine() throws Exception {
    for (String tested : new String[] {version(), "5.1.0", "5.1.10", "5.2.0", "5.2.3"}) {
      assertNull(RdmaVertxServiceProvider.untested(tested));
    }
    String line = RdmaVertxServiceProvider.untested("5.3.0");
    assertTrue(line.contains("not with Vert.x 5.3.0") && line.contains("All its functions are enabled"), line);
  }

  @Test
  void providerDeclaresNoMethodOfVertx4() {
    // ServiceLoader resolves the types of all methods that the provider of a module declares.
    assertEquals(List.of("init"), Stream.of(RdmaVertxServiceProvider.class.getDeclaredMethods())
      .filter(method -> Modifier.isPublic(method.getModifiers())).map(Method::getName).toList());
  }

  @Test
  void theServiceClassesRunOnTheOldestJavaOfVertx() throws Exception {
    for (Class<?> service : new Class<?>[] {RdmaVertxServiceProvider.class, Vertx4ServiceProvider.class, RdmaVerticleFactory.class}) {
      try (InputStream in = service.getResourceAsStream(service.getSimpleName() + ".class");
        DataInputStream data = new DataInputStream(in)) {
        data.readInt();
        data.readUnsignedShort();
        assertEquals(55, data.readUnsignedShort(), service + " is not compiled for Java 11");
      }
    }
  }
}
