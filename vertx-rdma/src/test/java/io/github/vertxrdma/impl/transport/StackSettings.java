package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.support.Ports;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** System properties of this process's network stacks, until it is closed. */
final class StackSettings implements AutoCloseable {
  private static final String RUNTIME = "vertx.rdma.runtime";
  private static final long FABRIC_PATIENCE_MILLIS = 60_000;
  private static final long BETWEEN_CONNECTS_MILLIS = 200;

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
   * Connects to a port of 127.0.0.1 until a connection takes the fabric. A busy machine may answer too late, so that a connection takes TCP
   * or fails; then the fabric is not tried for 10 s.
   */
  static NetSocket connectOverFabric(Vertx vertx, NetClient client, int port) {
    AtomicReference<NetSocket> made = new AtomicReference<>();
    until("a connection takes the fabric", () -> {
      long channels = TransportCounters.PROCESS.channels();
      NetSocket socket = await(client.connect(port, "127.0.0.1"), null);
      if (socket != null && TransportCounters.PROCESS.channels() > channels) {
        made.set(socket);
        return true;
      }
      Future<Void> closed = socket == null ? Future.succeededFuture() : socket.close();
      await(closed.eventually(() -> vertx.timer(BETWEEN_CONNECTS_MILLIS, TimeUnit.MILLISECONDS)), null);
      return false;
    }, FABRIC_PATIENCE_MILLIS);
    return made.get();
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
