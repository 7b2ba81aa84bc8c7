package io.github.vertxrdma.suites;

import static io.github.vertxrdma.suites.TestCluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** When the nodes of members of a cluster start. */
@Timeout(300)
class BusStartTest {
  private static final String CONFIG = "vertx.rdma.config";
  private static final String MOVE = "vertx.rdma.move";
  private static final int IN_FLIGHT = 64;
  /** So many bytes make connections busy on a busy machine, too. */
  private static final int LARGE = 32 << 10;

  @TempDir
  Path folder;
  private final List<Vertx> running = new ArrayList<>();
  private final LogLines log = new LogLines(Node.class);
  private int port;

  @BeforeEach
  void findPorts() throws Exception {
    port = TestCluster.freePorts();
    System.setProperty(MOVE, "measured");
  }

  @AfterEach
  void stop() throws Exception {
    System.clearProperty(MOVE);
    System.clearProperty(CONFIG);
    try (log) {
      for (Vertx vertx : running.reversed()) {
        await(vertx.close());
      }
    }
  }

  private Vertx member() throws Exception {
    Vertx vertx = TestCluster.member(port, new VertxOptions());
    running.add(vertx);
    return vertx;
  }

  private Vertx echo() throws Exception {
    Vertx vertx = member();
    await(vertx.eventBus().consumer("echo", message -> message.reply(message.body())).completion());
    return vertx;
  }

  private static Future<Object> ask(Vertx vertx, Object body) {
    return vertx.eventBus().request("echo", body, new DeliveryOptions().setSendTimeout(30_000)).map(reply -> reply.body());
  }

  private long started() {
    return log.lines().stream().filter(line -> line.matches("vertx-rdma \\S+: node .*")).count();
  }

  /** Sends large messages in groups until both nodes have started. */
  private void sendUntilStarted(Vertx vertx, Function<Buffer, Future<?>> send) throws Exception {
    long began = System.nanoTime();
    Buffer body = Buffer.buffer(new byte[LARGE]);
    while (started() < 2) {
      assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(90), log.lines()::toString);
      List<Future<?>> sent = new ArrayList<>();
      for (int i = 0; i < IN_FLIGHT; i++) {
        sent.add(send.apply(body));
      }
      for (Future<?> each : sent) {
        await(each);
      }
    }
  }

  @Test
  void nodesStartWhenTheirConnectionsAreBusy() throws Exception {
    echo();
    Vertx vertx = member();
    for (int i = 0; i < 50; i++) {
      assertEquals(i, await(ask(vertx, i)));
    }
    assertEquals(0, started(), log.lines()::toString);
    sendUntilStarted(vertx, body -> ask(vertx, body));
  }

  @Test
  void membersThatNeverMoveStartNothing() throws Exception {
    System.setProperty(MOVE, "never");
    echo();
    Vertx leaving = member();
    Vertx staying = member();
    for (int i = 0; i < 2_000; i++) {
      assertEquals(i, await(ask(leaving, i)));
    }
    running.remove(leaving);
    await(leaving.close());
    assertEquals("hello", await(ask(staying, "hello")));
    assertEquals(0, started(), log.lines()::toString);
  }

  @Test
  void receiverOfMessagesWithoutRepliesStarts() throws Exception {
    Vertx receiver = member();
    await(receiver.eventBus().consumer("sink", message -> {}).completion());
    Vertx vertx = member();
    sendUntilStarted(vertx, body -> vertx.eventBus().sender("sink").write(body));
  }

  private static void write(NetSocket socket) {
    for (int i = 0; i < IN_FLIGHT; i++) {
      socket.write(Buffer.buffer(new byte[LARGE]));
    }
  }

  @Test
  void busyConnectionToAServerThatIsNoMemberStartsNothing() throws Exception {
    echo();
    Vertx vertx = member();
    int port = await(vertx.createNetServer().connectHandler(socket -> socket.handler(socket::write)).listen(0, "127.0.0.1")).actualPort();
    NetClient client = vertx.createNetClient();
    NetSocket socket = await(client.connect(port, "127.0.0.1"));
    int group = IN_FLIGHT * LARGE;
    int groups = 50;
    AtomicInteger read = new AtomicInteger();
    Promise<Void> all = Promise.promise();
    socket.handler(part -> {
      int bytes = read.addAndGet(part.length());
      if (bytes == groups * group) {
        all.complete();
      } else if (bytes / group > (bytes - part.length()) / group) {
        write(socket);
      }
    });
    write(socket);
    await(all.future());
    await(client.close());
    assertEquals(0, started(), log.lines()::toString);
  }

  /** It sends nothing by TCP before it finds the other node. */
  @Test
  void memberWithForcedFabricMakesAnotherOneStart() throws Exception {
    echo();
    assertEquals(0, started(), log.lines()::toString);
    System.setProperty(CONFIG, Files.writeString(folder.resolve("config.json"), new JsonObject().put("fabric", "shm").encode()).toString());
    Vertx forced = member();
    long began = System.nanoTime();
    Object answer = null;
    while (answer == null) {
      try {
        answer = await(ask(forced, "hello"));
      } catch (ExecutionException e) {
        // A connection waits 10 s until the other node has started.
        long now = System.nanoTime() - began;
        assertTrue(now > TimeUnit.SECONDS.toNanos(8) && now < TimeUnit.SECONDS.toNanos(120), e::toString);
        Thread.sleep(100);
      }
    }
    assertEquals("hello", answer);
    assertEquals(2, started(), log.lines()::toString);
  }
}
