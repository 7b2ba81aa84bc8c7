package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;

/** What this process's network stacks are set up by, until it is closed. */
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
    return new RdmaOptions().setFabric(fabric).setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPollMillis(10)
      .setPath(folder.resolve("directory").toString()));
  }

  /** The fabric that the system property {@code vertx.rdma.test.fabric} names, by default Java sockets. */
  static String fabric() {
    return System.getProperty("vertx.rdma.test.fabric", "nio");
  }

  /** A port that nobody uses at the moment. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      return socket.getLocalPort();
    }
  }

  @Override
  public void close() {
    System.clearProperty(RUNTIME);
    System.clearProperty(TransportOptions.FILE);
    System.clearProperty(TransportOptions.STREAMS);
  }
}
