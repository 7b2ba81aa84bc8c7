package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Provider;
import io.github.vertxrdma.statistics.AdapterCounter;
import io.github.vertxrdma.statistics.AdapterStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class VerbsReturnTest extends FabricPair {
  private static final String FIRST = "mlx5";
  private static final String LATE = "nic";

  private final List<Throwable> lost = new CopyOnWriteArrayList<>();
  private final List<Buffer> echoes = new CopyOnWriteArrayList<>();
  private volatile RdmaConnection present;
  private Path counters;

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    // Devices are cached by settings, and no other test uses these.
    return super.options().setSettings(new JsonObject().put("verbs.device", FIRST + "," + LATE).put("verbs.connect", "exchange")
      .put("test", folder.toString()));
  }

  @Override
  VertxOptions vertxOptions() {
    // A context has an event loop of its own.
    return super.vertxOptions().setEventLoopPoolSize(16);
  }

  @Override
  List<String> devices() {
    return List.of(VerbsInUserSpace.PREFIX + FIRST, VerbsInUserSpace.PREFIX + LATE);
  }

  @BeforeEach
  @Override
  void start() throws Exception {
    // Keeps the library loaded, which is otherwise unloaded after each call.
    Provider.all().stream().filter(provider -> provider.name().equals("verbs"))
      .forEach(provider -> provider.discover(new DiscoveryOptions()));
    Nic.built().port(LATE, false);
    // A device uses the folder that exists when the device is found.
    counters = Files.createDirectories(folder.resolve("sys/class/infiniband/" + LATE + "/ports/1/hw_counters"));
    Files.writeString(counters.resolve("out_of_sequence"), "3\n");
    Nic.sysfs(folder.resolve("sys"));
    super.start();
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
  }

  @AfterEach
  void restore() {
    Nic.sysfs(Path.of("/sys"));
    Nic.built().port(FIRST, true);
    Nic.built().port(LATE, true);
    Nic.built().fail(FIRST, true);
  }

  private static RdmaConnectOptions over(String device) {
    return new RdmaConnectOptions().setFabric(VerbsInUserSpace.PREFIX + device);
  }

  private boolean connects(RdmaConnectOptions options) {
    return connects("orders", options);
  }

  private boolean connects(String service, RdmaConnectOptions options) {
    try {
      await(await(client.connect(service, options)).close());
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  /** The client's connection over its late device may lead to the server's first device. */
  private boolean serverUsesLateDevice() {
    return statistics(server).devices().stream().anyMatch(each -> each.device().equals(VerbsInUserSpace.PREFIX + LATE));
  }

  @Test
  void portThatComesUpAfterTheStartIsUsedByBothSides() throws Exception {
    assertEquals(VerbsInUserSpace.PREFIX + FIRST, await(client.connect("orders")).fabric().device());
    assertThrows(ExecutionException.class, () -> await(client.connect("orders", over(LATE))));
    Nic.built().port(LATE, true);
    until("the client uses the late device", () -> connects(over(LATE)));
    Nic.built().port(FIRST, false);
    until("the server listens on the late device", () -> connects(new RdmaConnectOptions()));
    assertEquals(VerbsInUserSpace.PREFIX + LATE, await(client.connect("orders")).fabric().device());
  }

  @Test
  void serviceListensOnPortThatComesUpWhileItBeginsToListen() throws Exception {
    Context busy = ((VertxInternal) serverVertx).createEventLoopContext();
    CountDownLatch found = new CountDownLatch(1);
    CompletableFuture<Future<RdmaServer>> listening = new CompletableFuture<>();
    busy.runOnContext(v -> {
      listening.complete(server.createServer().connectHandler(c -> c.handler(c::write)).listen("invoices"));
      // The service listens on no device before this event loop goes on.
      await(found);
    });
    listening.get(30, TimeUnit.SECONDS);
    Nic.built().port(LATE, true);
    Nic.built().port(FIRST, false);
    until("another service listens on the late device", () -> connects(new RdmaConnectOptions()));
    found.countDown();
    await(listening.get());
    until("the service listens on the late device", () -> connects("invoices", new RdmaConnectOptions()));
  }

  @Test
  void statisticsHaveTheCountersOfAdaptersInUse() throws Exception {
    Nic.built().port(LATE, true);
    until("both nodes use the late device", () -> serverUsesLateDevice() && connects(over(LATE)));
    Files.writeString(counters.resolve("out_of_sequence"), "4\n");
    NodeStatistics now = await(server.statistics());
    assertEquals(List.of(new AdapterStatistics(VerbsInUserSpace.PREFIX + LATE, List.of(counters.toString()), List.of())), now.adapters());
    assertEquals(List.of(new AdapterCounter("out_of_sequence", 4)), now.withAdapterCounters().adapters().getFirst().counters());
    assertEquals(List.of(), await(client.statistics(now.nodeId())).adapters());
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void regionThatWasSharedBeforeAPortCameUpIsReachedOverIt() throws Exception {
    MemoryRegion table = await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
    table.write(0, Buffer.buffer("abcd"));
    Nic.built().port(LATE, true);
    until("both nodes use the late device", () -> serverUsesLateDevice() && connects(over(LATE)));
    Nic.built().port(FIRST, false);
    until("the region is read over the late device", this::reads);
  }

  @Test
  void regionWithAtomicsOfOneAdapterStaysOnIt() throws Exception {
    MemoryRegion table = await(server.createRegion(new RegionOptions().setName("table").setSize(4096)
      .setAccess(RegionAccess.READ, RegionAccess.ATOMIC)));
    assertEquals(Reason.UNSUPPORTED, reason(table.fetchAndAdd(0, 1)), "the adapter executes them");
    Nic.built().port(LATE, true);
    until("both nodes use the late device", () -> serverUsesLateDevice() && connects(over(LATE)));
    assertEquals(0, await(await(client.openRegion("table")).fetchAndAdd(0, 1)));
    Nic.built().port(FIRST, false);
    assertThrows(ExecutionException.class, () -> await(client.openRegion("table")));
  }

  private void keepsConnecting(RdmaConnection connection) {
    present = connection;
    connection.exceptionHandler(lost::add).reconnectHandler(this::keepsConnecting).handler(echoes::add)
      .write(Buffer.buffer("good morning"));
  }

  private boolean reads() {
    try {
      RemoteRegion region = await(client.openRegion("table"));
      boolean same = await(region.read(0, 4)).toString().equals("abcd");
      await(region.close());
      return same;
    } catch (Exception e) {
      return false;
    }
  }

  @Test
  void deviceThatFailedIsUsedAgainWhenItIsBack() throws Exception {
    MemoryRegion table = await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ)));
    table.write(0, Buffer.buffer("abcd"));
    until("the region is read", this::reads);
    keepsConnecting(await(client.connect("orders", new RdmaConnectOptions().setReconnectAttempts(-1)
      .setReconnectInterval(Duration.ofMillis(20)))));
    until("the connection carries", () -> echoes.size() == 1);
    Nic.built().fail(FIRST, false);
    until("the connection is lost", () -> !lost.isEmpty());
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, lost.getFirst()).reason());
    Nic.built().fail(FIRST, true);
    until("the next connection carries", () -> echoes.size() == 2);
    assertEquals(VerbsInUserSpace.PREFIX + FIRST, present.fabric().device());
    until("the region is read again", this::reads);
    await(present.close());
  }
}
