package io.github.vertxrdma.process;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.peers.ClusterSecret;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Two nodes that share memory. Over one connection, from the start to the end of the process, they exchange messages and read granted
 * memory, and end the process if anything is changed or stops. Arguments: a folder for the directory, then names and values of system
 * properties. Commands: {@code check} (after one more exchange), {@code connect} (over another connection), {@code rest} (waits until
 * nothing is left of connections of others).
 */
final class AttackedNodes {
  private static final int SIZE = 1 << 16;
  private static final int LONGEST = 100_000;
  /** Exchanges after which all memory that the nodes share is in use. */
  private static final int WARM = 200;
  /** Descriptors and mappings of the files that two event loops may keep. */
  private static final int KEPT = 4;
  private static final int SECONDS = 20;

  private final Rdma client;
  private final Random random = new Random(7);
  private final BlockingQueue<Buffer> echoes = new LinkedBlockingQueue<>();
  private final CompletableFuture<RemoteRegion> granted = new CompletableFuture<>();
  private final Buffer content = Buffer.buffer(bytes(SIZE));
  private RdmaConnection connection;
  private long exchanges;

  private AttackedNodes(Rdma client) {
    this.client = client;
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 1; i < arguments.length; i += 2) {
      System.setProperty(arguments[i], arguments[i + 1]);
    }
    // Each connection of the attacker ends with a warning.
    Logger.getLogger("io.github.vertxrdma").setLevel(Level.OFF);
    DirectoryOptions directory = new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(arguments[0]);
    Rdma server = node(directory);
    Rdma client = node(directory);
    if (server == null || client == null) {
      System.out.println("skipped");
      System.exit(0);
    }
    try {
      new AttackedNodes(client).run(server);
    } catch (Throwable e) {
      System.out.println("failed " + e);
      e.printStackTrace();
    }
    System.exit(1);
  }

  private static Rdma node(DirectoryOptions directory) throws Exception {
    return new Fabrics(Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1)), directory, List.of("shm")).nodes().get("shm");
  }

  private void run(Rdma server) throws Exception {
    MemoryRegion own = await(server.createRegion(new RegionOptions().setSize(SIZE).setAccess(RegionAccess.READ)));
    own.write(0, content);
    await(server.createRegion(new RegionOptions().setName("open").setSize(4096).setAccess(RegionAccess.values())));
    AtomicBoolean isFirst = new AtomicBoolean(true);
    await(server.createServer().connectHandler(each -> {
      each.handler(each::write);
      if (isFirst.getAndSet(false)) {
        each.grant(own);
      }
    }).listen("echo"));
    connection = connect(echoes);
    connection.grantHandler(granted::complete);
    for (int i = 0; i < WARM; i++) {
      exchange();
    }
    connectOnceMore();
    System.out.println("key " + HexFormat.of().formatHex(ClusterSecret.load(null).derive("handshake 1", 32)));
    System.out.println("region " + await(client.directory()).regions().getFirst().regionId());
    List<String> before = Attacker.held();
    System.out.println("ready");
    while (true) {
      exchange();
      if (System.in.available() > 0) {
        String command = IO.readln();
        exchange();
        if (command.equals("connect")) {
          connectOnceMore();
        } else if (command.equals("rest")) {
          rest(before);
        }
        System.out.println("done " + exchanges);
      }
    }
  }

  /** Waits until nothing of the attacker is left. Each event loop may keep a file of its own for the next messages to that node id. */
  private static void rest(List<String> before) {
    try {
      until("nothing is left", () -> {
        List<String> now = Attacker.held();
        return now.stream().noneMatch(each -> each.contains("/memfd:attack")) && sockets(now) <= sockets(before)
          && now.size() <= before.size() + KEPT;
      });
    } catch (AssertionError e) {
      throw new AssertionError("before: " + before + ", left: " + Attacker.held(), e);
    }
  }

  private static long sockets(List<String> held) {
    return held.stream().filter(each -> each.startsWith("socket:")).count();
  }

  private RdmaConnection connect(BlockingQueue<Buffer> into) throws Exception {
    return await(client.connect("echo", new RdmaConnectOptions().setReconnectAttempts(0))).handler(into::add);
  }

  private byte[] bytes(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private void exchange() throws Exception {
    exchange(connection, echoes, Buffer.buffer(bytes(1 + random.nextInt(exchanges % 8 == 0 ? LONGEST : 2000))));
    if (!await(granted.get(SECONDS, TimeUnit.SECONDS).read(0, SIZE)).equals(content)) {
      throw new AssertionError("granted memory was changed");
    }
    exchanges++;
  }

  private static void exchange(RdmaConnection over, BlockingQueue<Buffer> from, Buffer message) throws Exception {
    over.write(message);
    Buffer echo = from.poll(SECONDS, TimeUnit.SECONDS);
    if (!message.equals(echo) || !from.isEmpty()) {
      throw new AssertionError(echo == null ? "a message has not come back" : "a message was changed");
    }
  }

  private void connectOnceMore() throws Exception {
    BlockingQueue<Buffer> into = new LinkedBlockingQueue<>();
    RdmaConnection more = connect(into);
    exchange(more, into, Buffer.buffer("words"));
    await(more.close());
  }
}
