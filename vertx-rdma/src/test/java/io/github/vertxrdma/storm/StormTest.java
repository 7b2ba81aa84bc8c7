package io.github.vertxrdma.storm;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.github.vertxrdma.MemoryRegion;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RegionAccess;
import io.github.vertxrdma.RegionOptions;
import io.github.vertxrdma.RemoteRegion;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.impl.process.FileWatch;
import io.github.vertxrdma.provider.contract.Leaks;
import io.github.vertxrdma.provider.devices.relay.Relay;
import io.github.vertxrdma.provider.devices.relay.Relay.Way;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two nodes with a bad network for links and control connections: all operations succeed, or end with a reason; then a new connection
 * works, and nothing is left.
 */
@Timeout(120)
@Tag("polling")
class StormTest {
  private static final int MANY = 50;
  private static final int MESSAGES = 20;
  private static final int LARGE = 100_000;
  private static final int REGION = 1 << 20;

  private interface Bad {
    void meet(Relay data, Relay control, Random random) throws IOException;
  }

  private enum Outcome {
    GOES_ON, ENDS, ENDS_AS_DEAD
  }

  enum Storm {
    DELAY(Outcome.GOES_ON, (data, control, random) -> {
      data.delay(5 + random.nextInt(10));
      control.delay(20);
    }),
    RATE(Outcome.GOES_ON, (data, control, random) -> data.rate(2_000)),
    CONTROL_RESET(Outcome.GOES_ON, (data, control, random) -> control.reset()),
    CUT(Outcome.ENDS, (data, control, random) -> data.end()),
    RESET_IN_A_FRAME(Outcome.ENDS, (data, control, random) -> data.resetAfter(random.nextInt(LARGE))),
    HALF_OPEN(Outcome.ENDS, (data, control, random) -> data.halfOpen()),
    DATA_NOT_TO_THE_SERVER(Outcome.ENDS_AS_DEAD, (data, control, random) -> data.hold(Way.TO_SERVER)),
    DATA_NOT_TO_THE_CLIENT(Outcome.ENDS_AS_DEAD, (data, control, random) -> data.hold(Way.TO_CLIENT)),
    NOTHING_TO_THE_SERVER(Outcome.ENDS_AS_DEAD, (data, control, random) -> {
      control.hold(Way.TO_SERVER);
      data.hold(Way.TO_SERVER);
    }),
    NOTHING_TO_THE_CLIENT(Outcome.ENDS_AS_DEAD, (data, control, random) -> {
      control.hold(Way.TO_CLIENT);
      data.hold(Way.TO_CLIENT);
    });

    private final Outcome outcome;
    private final Bad bad;

    Storm(Outcome outcome, Bad bad) {
      this.outcome = outcome;
      this.bad = bad;
    }
  }

  /** Opens the inotify instance that all nodes of a process share, which would otherwise count as left over. */
  private final FileWatch watch = new FileWatch(() -> {});
  private final List<Relay> relays = new ArrayList<>();
  private final Vertx serverVertx = vertx();
  private final Vertx clientVertx = vertx();

  private static Vertx vertx() {
    return Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
  }

  @BeforeEach
  void begin(@TempDir Path folder) {
    watch.watch(List.of(folder), List.of());
  }

  @AfterEach
  void end() throws Exception {
    watch.close();
    for (Relay relay : relays) {
      relay.close();
    }
    await(clientVertx.close());
    await(serverVertx.close());
  }

  static Stream<Arguments> storms() {
    return Stream.of("nio", "tcp").flatMap(fabric -> Stream.of(Storm.values()).map(storm -> Arguments.of(fabric, storm)));
  }

  static Stream<Arguments> breaks() {
    return Stream.of("nio", "tcp").flatMap(fabric -> Stream.of(Storm.CUT, Storm.RESET_IN_A_FRAME, Storm.HALF_OPEN)
      .map(storm -> Arguments.of(fabric, storm)));
  }

  @ParameterizedTest
  @MethodSource("breaks")
  void aBreakEndsByNameAndLeavesNothing(String fabric, Storm storm) throws Exception {
    weather(fabric, storm, new Random(1));
  }

  @ParameterizedTest
  @MethodSource("storms")
  @Tag("long")
  void eachEndsByNameAndLeavesNothing(String fabric, Storm storm) throws Exception {
    weather(fabric, storm, new Random(1));
  }

  @ParameterizedTest
  @MethodSource("storms")
  @Tag("long")
  @Timeout(1800)
  void manyOfEach(String fabric, Storm storm) throws Exception {
    long seed = Long.getLong("storm.seed", System.nanoTime());
    System.out.println(fabric + ", " + storm + ": -Dstorm.seed=" + seed);
    Random random = new Random(seed);
    for (int i = 0; i < MANY; i++) {
      weather(fabric, storm, random);
    }
  }

  private void weather(String fabric, Storm storm, Random random) throws Exception {
    RdmaOptions options = new RdmaOptions().setFabric(fabric);
    if (storm.outcome == Outcome.ENDS_AS_DEAD) {
      options.setSuspectTimeout(Duration.ofMillis(500)).setDeadTimeout(Duration.ofSeconds(2));
    }
    Rdma server = Rdma.create(serverVertx, options.setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC)));
    AtomicInteger accepted = new AtomicInteger();
    RdmaServer echo;
    try {
      MemoryRegion table = await(server.createRegion(new RegionOptions().setSize(REGION).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
      echo = await(server.createServer().connectHandler(peer -> {
        accepted.incrementAndGet();
        peer.exceptionHandler(e -> {}).closeHandler(v -> accepted.decrementAndGet()).handler(greeting -> {
          peer.handler(peer::write);
          peer.grant(table);
        });
      }).listen(SocketAddress.inetSocketAddress(0, "127.0.0.1")));
    } catch (ExecutionException e) {
      assumeFalse(e.getCause() instanceof RdmaException missing && missing.reason() == Reason.UNSUPPORTED, e.getCause().getMessage());
      throw e;
    }
    NodeEntry node = await(server.directory()).self();
    Relay control = relay(node.controlPort());
    Relay data = relay(echo.actualPort());
    JsonObject known = node.toJson().put("controlHost", "127.0.0.1").put("controlPort", control.port());
    Rdma client = Rdma.create(clientVertx, options.setDirectory(new DirectoryOptions().setType(DirectoryOptions.STATIC)
      .addEntry(DirectoryEntry.fromJson(known))));
    // The client makes the control connection through the relay, before the server has an address.
    await(client.statistics(node.nodeId()));
    new Conversation(client, data).finish();
    until("the server has no connection", () -> accepted.get() == 0);
    Leaks before = Leaks.snapshot();
    Conversation conversation = new Conversation(client, data);
    conversation.talk();
    storm.bad.meet(data, control, random);
    conversation.talk();
    if (storm.outcome == Outcome.GOES_ON) {
      conversation.finish();
    } else {
      conversation.awaitEnd();
      until("the server knows that it is over", () -> accepted.get() == 0);
    }
    data.calm();
    control.calm();
    until("they know each other again", () -> await(client.statistics(node.nodeId()), null) != null);
    new Conversation(client, data).finish();
    until("the server has no connection", () -> accepted.get() == 0);
    assertTrue(control.passed() > 0, "the control connection went past the relay");
    before.assertNoneSince();
    await(client.close());
    await(server.close());
  }

  private Relay relay(int port) throws IOException {
    Relay relay = new Relay(port);
    relays.add(relay);
    return relay;
  }

  private static final class Conversation {
    private final List<Future<?>> begun = new CopyOnWriteArrayList<>();
    private final List<Throwable> why = new CopyOnWriteArrayList<>();
    private final AtomicInteger came = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final RdmaConnection connection;
    private final RemoteRegion table;
    private int sent;

    Conversation(Rdma client, Relay data) throws Exception {
      connection = await(client.connect(SocketAddress.inetSocketAddress(data.port(), "127.0.0.1")));
      Promise<RemoteRegion> granted = Promise.promise();
      connection.handler(message -> came.incrementAndGet()).exceptionHandler(why::add).closeHandler(v -> closed.incrementAndGet())
        .grantHandler(granted::tryComplete);
      await(connection.write(Buffer.buffer("hello")));
      table = await(granted.future());
    }

    void talk() {
      for (int i = 0; i < MESSAGES; i++) {
        begun.add(connection.write(Buffer.buffer(new byte[i % 10 == 9 ? LARGE : 100 * i + 1])));
        begun.add(table.write(8L * i, Buffer.buffer(new byte[64])));
        begun.add(table.read(0, i % 10 == 9 ? LARGE : 64));
        sent++;
      }
    }

    void finish() throws Exception {
      talk();
      for (Future<?> each : begun) {
        await(each);
      }
      until("all messages are back", () -> came.get() == sent);
      await(table.close());
      await(connection.close());
      assertEquals(List.of(), why);
    }

    void awaitEnd() {
      for (Future<?> each : begun) {
        until("it has ended: " + begun.indexOf(each) + " of " + begun.size(), each::isComplete);
      }
      until("the connection is over", () -> closed.get() == 1);
      begun.stream().filter(Future::failed).map(Future::cause).forEach(Conversation::isNamed);
      why.forEach(Conversation::isNamed);
      assertEquals(1, why.size(), why.toString());
      until("the region is closed", table.close()::isComplete);
    }

    private static void isNamed(Throwable cause) {
      assertNotEquals(Reason.OTHER, assertInstanceOf(RdmaException.class, cause, cause.toString()).reason(), cause.getMessage());
    }
  }
}
