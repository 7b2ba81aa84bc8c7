package io.github.vertxrdma.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.examples.Echo;
import io.github.vertxrdma.examples.Table;
import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two plain processes of one application find each other, with no options at all. */
@Timeout(120)
class DefaultsTest {
  @TempDir
  Path folder;
  private Path runtime;

  @BeforeEach
  void makeFolder() {
    runtime = folder.resolve("runtime");
  }

  private ChildJvm stock(String port, String... properties) throws IOException {
    String[] arguments = new String[properties.length + 2];
    arguments[0] = port;
    arguments[1] = "vertx.rdma.runtime=" + runtime;
    System.arraycopy(properties, 0, arguments, 2, properties.length);
    return ChildJvm.start(StockProcess.class, arguments);
  }

  @Test
  void theFirstExamplesRun() throws Exception {
    try (ChildJvm server = ChildJvm.start(Echo.class, "serve"); ChildJvm client = ChildJvm.start(Echo.class)) {
      client.await("you said hello");
    }
    try (ChildJvm owner = ChildJvm.start(Table.class, "share"); ChildJvm visitor = ChildJvm.start(Table.class)) {
      visitor.await("reads a row");
    }
  }

  @Test
  void stockServersAndClientsTakeTheFabric() throws Exception {
    try (ChildJvm server = stock("-", "vertx.rdma.streams=all")) {
      server.await(StockProcess.LOGGED + "vertx-rdma ");
      String port = server.await(StockProcess.SERVES);
      try (ChildJvm client = stock(port, "vertx.rdma.streams=all")) {
        assertTrue(client.await(StockProcess.ANSWER).startsWith("hello with fabric: 1 channels connected"));
      }
    }
  }

  @Test
  void serverOfAnotherGroupIsReportedOnceByClient() throws Exception {
    try (ChildJvm server = stock("-", "vertx.rdma.streams=all", "vertx.rdma.group=others")) {
      String port = server.await(StockProcess.SERVES);
      try (ChildJvm client = stock(port, "vertx.rdma.streams=all")) {
        String told = client.await(StockProcess.LOGGED + "Connections to 127.0.0.1:" + port + " use TCP: ");
        assertEquals("group 'others' has a server there, and the same-host directory " + runtime.resolve("directory") + ", group '"
          + StockProcess.class.getName() + "' has none. Give both nodes the same group, by DirectoryOptions or -Dvertx.rdma.group=others",
          told);
      }
    }
  }

  /** As if Netty could not load its library from a folder that is mounted noexec. */
  @Test
  void withoutEpollForcedFabricFailsTheStartAndPreferredOneIsAWarning() throws Exception {
    try (ChildJvm forced = stock("-", "vertx.rdma.streams=all", "vertx.rdma.fabric=shm", "io.netty.transport.noNative=true");
      ChildJvm preferred = stock("-", "vertx.rdma.streams=all", "io.netty.transport.noNative=true");
      ChildJvm unconcerned = stock("-", "vertx.rdma.fabric=shm", "io.netty.transport.noNative=true")) {
      String epoll = "Netty's epoll transport is not available: -Dio.netty.transport.noNative=true disables Netty's native libraries";
      String failed = forced.await(StockProcess.NOT_STARTED);
      assertTrue(failed.startsWith(
        "cannot start with fabric 'shm' forced, since the event bus, servers and clients would stay on TCP: " + epoll), failed);
      preferred.await(StockProcess.LOGGED + "TCP serves the event bus, servers and clients: " + epoll);
      preferred.await(StockProcess.SERVES);
      unconcerned.await(StockProcess.SERVES);
    }
  }

  @Test
  void aStockVertxOpensNoFile() throws Exception {
    try (ChildJvm server = stock("-")) {
      String port = server.await(StockProcess.SERVES);
      try (ChildJvm client = stock(port)) {
        assertTrue(client.await(StockProcess.ANSWER).startsWith("hello with fabric: 0 channels connected"));
        assertFalse(Files.exists(runtime));
        assertFalse(server.hasSaid(StockProcess.LOGGED));
        assertFalse(client.hasSaid(StockProcess.LOGGED));
      }
    }
  }
}
