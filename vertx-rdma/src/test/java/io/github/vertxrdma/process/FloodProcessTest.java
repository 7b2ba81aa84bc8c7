package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.support.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.NioFlood;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes without the cluster secret keep connection requests open, and honest nodes connect meanwhile. */
@Timeout(180)
class FloodProcessTest {
  private static final int AT_ONCE = 300;
  /** File descriptors of the processes with most of them, with some to spare. */
  private static final long DESCRIPTORS = 5_000;
  private static final RdmaConnectOptions ONCE = new RdmaConnectOptions().setReconnectAttempts(0);

  private static Rdma node(Vertx vertx, Path folder) {
    return Rdma.create(vertx, new RdmaOptions().setFabric("nio").setConnectTimeout(Duration.ofMillis(Await.PATIENCE_MILLIS))
      .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString())));
  }

  /** Skips a test if a process may not open enough files. */
  private static void assumeDescriptors() throws IOException {
    try (Stream<String> limits = Files.lines(Path.of("/proc/self/limits"))) {
      long hard = limits.filter(line -> line.startsWith("Max open files")).mapToLong(line -> Long.parseLong(line.split("\\s+")[4]))
        .findFirst().orElseThrow();
      assumeTrue(hard >= DESCRIPTORS, "a process may open only " + hard + " files (ulimit -Hn), not " + DESCRIPTORS);
    }
  }

  /** @param known whether the client has a control connection to the server, so that its requests contain proofs */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nodeConnectsDuringAFloodFromManyNetworks(boolean known, @TempDir Path folder) throws Exception {
    assertConnectsDuringAFlood(known, NioFlood.NETWORK, NioFlood.NETWORKS, folder);
  }

  @Test
  void nodeWithControlConnectionConnectsDuringAFloodFromItsOwnAddress(@TempDir Path folder) throws Exception {
    assertConnectsDuringAFlood(true, "127.0.0.", 1, folder);
  }

  private static void assertConnectsDuringAFlood(boolean known, String network, int addresses, Path folder) throws Exception {
    assumeDescriptors();
    Vertx vertx = Vertx.vertx();
    Vertx others = Vertx.vertx();
    Rdma node = node(vertx, folder);
    RdmaServer server = node.createServer().connectHandler(each -> each.handler(each::write));
    Rdma client = node(others, folder);
    int port;
    if (known) {
      await(server.listen("echo"));
      await(client.connect("echo", ONCE));
      port = await(client.directory()).services("echo").getFirst().addresses().getFirst().address().toInet().getPort();
    } else {
      await(server.listen(SocketAddress.inetSocketAddress(0, "127.0.0.1")));
      port = server.actualPort();
    }
    Callable<Future<RdmaConnection>> connect = () -> known ? client.connect("echo", ONCE)
      : client.connect(SocketAddress.inetSocketAddress(port, "127.0.0.1"), ONCE);
    try (NioFlood flood = new NioFlood(port, network, addresses)) {
      until("the flood waits", () -> flood.sent() >= NioFlood.COUNT);
      until("requests wait", () -> await(node.statistics().map(found -> found.devices().getFirst().deferred()), 0L) > NioFlood.NETWORKS);
      await(connect.call());
      until("the flood goes on", () -> flood.sent() > NioFlood.COUNT + NioFlood.OF_EACH);
      await(connect.call());
    } finally {
      await(Future.join(vertx.close(), others.close()));
    }
  }

  @Test
  void manyConnectionsOfOneProcessAreMadeAtOnce(@TempDir Path folder) throws Exception {
    Vertx vertx = Vertx.vertx();
    Rdma server = node(vertx, folder);
    await(server.createServer().connectHandler(each -> each.handler(each::write)).listen("echo"));
    Rdma client = node(vertx, folder);
    await(client.directory());
    List<Future<RdmaConnection>> all = new ArrayList<>(IntStream.range(0, AT_ONCE).mapToObj(i -> client.connect("echo", ONCE)).toList());
    await(Future.join(all));
    assertEquals(AT_ONCE, all.stream().filter(Future::succeeded).count());
    await(vertx.close());
  }

  @Test
  void nodeConnectsDuringAFloodOfAnotherMemberOfItsGroup() throws Exception {
    assumeDescriptors();
    Attacker attacker = Attacker.build();
    Process flood = null;
    try {
      Attacker other = attacker.otherUser();
      Path meeting = Files.createDirectory(attacker.folder().resolve("meeting"));
      Files.setAttribute(meeting, "unix:gid", Integer.parseInt(Attacker.GROUP));
      Files.setAttribute(meeting, "unix:mode", 03770);
      try (ChildJvm server = node(attacker, meeting, "serve")) {
        server.await("serves");
        Path socket;
        try (Stream<Path> found = Files.list(meeting)) {
          socket = found.filter(each -> !each.getFileName().toString().startsWith(".")).findFirst().orElseThrow();
        }
        flood = other.flood(4000, socket);
        assertEquals("floods", new BufferedReader(new InputStreamReader(flood.getInputStream())).readLine());
        server.await("requests wait");
        try (ChildJvm client = node(attacker, meeting, "PAY")) {
          assertEquals("done: PAY", client.await("got "));
        }
      }
    } finally {
      if (flood != null) {
        flood.destroyForcibly().waitFor();
      }
      attacker.close();
    }
  }

  private static ChildJvm node(Attacker attacker, Path meeting, String task) throws IOException {
    return ChildJvm.start(RelayedNode.class, task, "shm", attacker.folder().resolve("directory").toString(), "vertx.rdma.runtime",
      attacker.folder().resolve("run").toString(), "vertx.rdma.shm.group", Attacker.GROUP, "vertx.rdma.shm.folder", meeting.toString());
  }
}
