package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.support.Ports;
import io.netty.channel.Channel;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** System properties of this process's network stacks, until it is closed. */
final class StackSettings implements AutoCloseable {
  private static final String RUNTIME = "vertx.rdma.runtime";

  /** @param folder a test's own, for the file and what a node leaves there */
  StackSettings(Path folder, RdmaOptions options) throws IOException {
    Path config = folder.resolve("config.json");
    Files.writeString(config, options.toJson().encode());
    System.setProperty(RUNTIME, folder.resolve("run").toString());
    System.setProperty(TransportOptions.FILE, config.toString());
  }

  static RdmaOptions options(Path folder, String fabric) {
    return new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPath(folder.resolve("directory").toString()));
  }

  static String fabric() {
    return System.getProperty("vertx.rdma.test.fabric", "nio");
  }

  static int freePort() throws IOException {
    return Ports.free();
  }

  /** Waits until a client's directory has the server at a port of 127.0.0.1. A connection by rule takes TCP before. */
  static void awaitServer(Vertx client, RdmaOptions options, int port) throws Exception {
    RdmaDirectory directory = await(Rdma.create(client, options).directory());
    await(directory.awaitServices(RouteNames.of(InetAddress.ofLiteral("127.0.0.1"), port), Duration.ofSeconds(20)));
  }

  /**
   * Waits until both directions of a connection have moved to the fabric, and everything has come back: its peer must echo what is sent.
   * Sets the handler of the socket.
   */
  static void awaitMoved(NetSocket socket) {
    byte[] bytes = "more than the 32 bytes by which a connection is recognized".getBytes(StandardCharsets.US_ASCII);
    AtomicLong waiting = new AtomicLong();
    socket.handler(echoed -> waiting.addAndGet(-echoed.length()));
    Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
    MoveHandler handler = channel.pipeline().get(MoveHandler.class);
    until("the connection has moved: " + handler, () -> {
      waiting.addAndGet(bytes.length);
      await(socket.write(Buffer.buffer(bytes)), null);
      return channel.eventLoop().submit(() -> handler.sent() > 0 && handler.received() > 0).syncUninterruptibly().getNow();
    });
    until("everything has come back", () -> waiting.get() == 0);
  }

  static PfxOptions key(Path folder) throws IOException, InterruptedException {
    String store = folder.resolve("server.p12").toString();
    String password = "changeit";
    Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(), "-genkeypair", "-alias",
      "server", "-keyalg", "EC", "-dname", "CN=localhost", "-validity", "10", "-storetype", "PKCS12", "-keystore", store, "-storepass",
      password).inheritIO().start();
    assertTrue(keytool.waitFor(60, TimeUnit.SECONDS) && keytool.exitValue() == 0);
    return new PfxOptions().setPath(store).setPassword(password);
  }

  @Override
  public void close() {
    System.clearProperty(RUNTIME);
    System.clearProperty(TransportOptions.FILE);
    System.clearProperty(TransportOptions.STREAMS);
  }
}
