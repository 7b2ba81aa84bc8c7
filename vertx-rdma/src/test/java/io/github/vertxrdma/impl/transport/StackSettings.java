package io.github.vertxrdma.impl.transport;

import static io.github.vertxrdma.impl.support.Await.await;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.RdmaDirectory;
import io.github.vertxrdma.impl.support.Ports;
import io.vertx.core.Vertx;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** System properties that set up this process's network stacks, until it is closed. */
final class StackSettings implements AutoCloseable {
  private static final String RUNTIME = "vertx.rdma.runtime";

  /** @param folder a test's own, for the file and what a node leaves there */
  StackSettings(Path folder, RdmaOptions options) throws IOException {
    Path config = folder.resolve("config.json");
    Files.writeString(config, options.toJson().encode());
    System.setProperty(RUNTIME, folder.resolve("run").toString());
    System.setProperty(TransportOptions.FILE, config.toString());
  }

  /** One fabric, and a directory in the folder. */
  static RdmaOptions options(Path folder, String fabric) {
    return new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST)
      .setPollInterval(Duration.ofMillis(10))
      .setPath(folder.resolve("directory").toString()));
  }

  /** The fabric that the system property {@code vertx.rdma.test.fabric} names, by default Java sockets. */
  static String fabric() {
    return System.getProperty("vertx.rdma.test.fabric", "nio");
  }

  /** A port that nobody uses at the moment, and that no client is given for its own end meanwhile. */
  static int freePort() throws IOException {
    return Ports.free();
  }

  /** Returns once a client's directory tells of the server at that port of 127.0.0.1: who connects by rule before takes TCP. */
  static void awaitServer(Vertx client, RdmaOptions options, int port) throws Exception {
    RdmaDirectory directory = await(Rdma.create(client, options).directory());
    await(directory.awaitServices(RouteNames.of(InetAddress.ofLiteral("127.0.0.1"), port), Duration.ofSeconds(20)));
  }

  /** A server's key and a certificate that nobody signed, in the folder. */
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
