package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.devices.fault.FaultyDevice;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Completion queues whose polls throw: some times without effect, or permanently, after which another queue replaces it. */
@Timeout(120)
class FailedQueueTest extends FabricPair {
  private static final String FABRIC = "memory-failing";
  private static final List<FaultyDevice> DEVICES = new CopyOnWriteArrayList<>();
  private static final int MOST = 8;

  static {
    InMemoryFabric.named(FABRIC).inFront(device -> {
      FaultyDevice faulty = FaultyDevice.over(device, device.name(), 7);
      DEVICES.add(faulty);
      return faulty;
    });
  }

  private final AtomicReference<Buffer> echoed = new AtomicReference<>();

  @Override
  String fabric() {
    return FABRIC;
  }

  @Override
  RdmaOptions options() {
    return super.options().setSettings(new JsonObject().put("memory.name", FABRIC));
  }

  private static void failPolls(int number) {
    DEVICES.forEach(device -> device.faults().failPolls(number));
  }

  private static RdmaConnectOptions patient() {
    return new RdmaConnectOptions().setReconnectAttempts(-1).setReconnectInterval(Duration.ofMillis(20))
      .setLookupTimeout(Duration.ofMillis(20));
  }

  private void listen() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
  }

  private RdmaConnection connect() throws Exception {
    RdmaConnection connection = await(client.connect("echo", patient()));
    connection.handler(echoed::set);
    return connection;
  }

  private void assertEchoes(RdmaConnection connection, String words) {
    connection.write(Buffer.buffer(words));
    until("'" + words + "' comes back", () -> echoed.get() != null && echoed.get().toString().equals(words));
  }

  @Test
  void connectionSurvivesPollsThatFailAFewTimes() throws Exception {
    listen();
    RdmaConnection connection = connect();
    assertEchoes(connection, "before");
    for (int i = 0; i < 3; i++) {
      failPolls(MOST - 1);
      assertEchoes(connection, "after " + i);
    }
    await(connection.close());
  }

  @Test
  void serverListensAgainWhenItsQueueHasFailed() throws Exception {
    listen();
    for (int i = 0; i < 3; i++) {
      RdmaConnection connection = connect();
      Promise<Void> closed = Promise.promise();
      connection.closeHandler(closed::tryComplete);
      assertEchoes(connection, "before " + i);
      failPolls(MOST);
      connection.write(Buffer.buffer("wakes the queues"));
      await(closed.future());
      RdmaConnection next = connect();
      assertEchoes(next, "after " + i);
      await(next.close());
    }
    assertEquals(1, await(client.directory()).services().stream().filter(entry -> entry.name().equals("echo")).count());
  }

  @Test
  void regionsAreFoundAgainWhenTheQueueHasFailed() throws Exception {
    MemoryRegion region = await(server.createRegion(new RegionOptions().setName("words").setSize(4096).setAccess(RegionAccess.READ)));
    region.segment().setString(0, "words");
    assertEquals("words", await(await(client.openRegion("words")).read(0, 5)).toString());
    failPolls(MOST);
    until("the region is opened and read", () -> {
      try {
        return await(await(client.openRegion("words")).read(0, 5)).toString().equals("words");
      } catch (Exception e) {
        return false;
      }
    });
    assertTrue(await(server.statistics()).devices().stream().anyMatch(device -> device.connectionCount() > 0));
  }
}
