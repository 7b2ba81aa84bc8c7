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
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
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
  private static final int NETWORKS = 40;
  private static final int OF_EACH = 50;
  private static final int AT_ONCE = 300;
  /** File descriptors of the processes with most of them, with some to spare. */
  private static final long DESCRIPTORS = 5_000;
  private static final RdmaConnectOptions ONCE = new RdmaConnectOptions().setReconnectAttempts(0);

  /** Connects over nio from many addresses, and connects again when the other side closes. */
  private static final class Flood implements AutoCloseable {
    private final InetSocketAddress to;
    private final Selector selector = Selector.open();
    private final Thread thread = new Thread(this::run, "flood");
    private volatile boolean closed;
    private volatile int sent;

    Flood(int port) throws IOException {
      to = new InetSocketAddress("127.0.0.1", port);
      thread.start();
    }

    private void connect(int number) throws IOException {
      SocketChannel socket = SocketChannel.open();
      socket.configureBlocking(false);
      socket.bind(new InetSocketAddress("127.7.0." + (1 + number % NETWORKS), 0));
      socket.connect(to);
      socket.register(selector, SelectionKey.OP_CONNECT, number);
    }

    /** Returns a CONNECT frame of nio with a valid request of a link. */
    private static ByteBuffer request() {
      byte[] random = new byte[40];
      new Random().nextBytes(random);
      ByteBuffer frame = ByteBuffer.allocate(100).put((byte) 1).position(16).putLong(0x7672_646d_616e_696fL).putInt(0x0202).putInt(0)
        .putLong(16).putLong(44).putLong(0);
      return frame.putInt(0x56050400).put(random).flip();
    }

    private void run() {
      try {
        for (int i = 0; i < NETWORKS * OF_EACH; i++) {
          connect(i);
        }
        while (!closed) {
          selector.select(this::ready, 100);
        }
        for (SelectionKey each : selector.keys()) {
          each.channel().close();
        }
        selector.close();
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
    }

    private void ready(SelectionKey key) {
      SocketChannel socket = (SocketChannel) key.channel();
      try {
        if (key.isConnectable() && socket.finishConnect()) {
          socket.write(request());
          sent++;
          key.interestOps(SelectionKey.OP_READ);
        } else if (socket.read(ByteBuffer.allocate(4096)) < 0) {
          throw new IOException("the other side closed");
        }
      } catch (IOException e) {
        try {
          socket.close();
          connect((Integer) key.attachment());
        } catch (IOException again) {
          throw new IllegalStateException(again);
        }
      }
    }

    @Override
    public void close() throws InterruptedException {
      closed = true;
      thread.join();
    }
  }

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
    try (Flood flood = new Flood(port)) {
      until("the flood waits", () -> flood.sent >= NETWORKS * OF_EACH);
      until("requests wait", () -> await(node.statistics().map(found -> found.devices().getFirst().deferred()), 0L) > NETWORKS);
      await(connect.call());
      until("the flood goes on", () -> flood.sent > NETWORKS * OF_EACH + OF_EACH);
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
