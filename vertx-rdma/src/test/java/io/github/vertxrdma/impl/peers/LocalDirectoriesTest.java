package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.*;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryEntry;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.DirectoryWatch;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.directory.ServiceEntry;
import io.github.vertxrdma.impl.process.RuntimeFolder;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The directories that need no server. */
@Timeout(120)
class LocalDirectoriesTest {
  private static final int MANY = 10_000;
  private static final int SERVICES = 5;

  @TempDir
  Path temp;
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private DirectoryBackend sameHost(String id) throws Exception {
    return await(DirectoryBackend.open(vertx, sameHostOptions(temp.resolve("d"), id)));
  }

  private static DirectoryOptions sameHostOptions(Path folder, String id) {
    return new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()).setNodeId(id);
  }

  private static ServiceEntry service(DirectoryBackend directory, String name, int instance) {
    return new ServiceEntry(name, directory.nodeId(), directory.epoch(), instance, List.of(), new JsonObject().put("i", instance));
  }

  private static RegionEntry region(DirectoryBackend directory, String name, long id) {
    return new RegionEntry(name, directory.nodeId(), directory.epoch(), id, 4096, Set.of(), 0, RegionEntry.NONE, List.of());
  }

  private static <T> Throwable failure(Future<T> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  @Test
  void staticKnowsWhatItWasGiven() throws Exception {
    NodeEntry peer = NodeEntry.fromJson(new JsonObject().put("node", "peer").put("controlHost", "10.0.0.1").put("controlPort", 7));
    ServiceEntry orders = new ServiceEntry("orders", "peer", 0, 0, List.of(), new JsonObject());
    DirectoryBackend directory = await(
      DirectoryBackend.open(vertx, new DirectoryOptions().setType(DirectoryOptions.STATIC).addEntry(peer).addEntry(orders)));
    assertEquals("static", directory.type());
    assertEquals(List.of(orders), directory.services("orders"));
    assertEquals(peer, directory.node("peer").orElseThrow());
    await(directory.publish(directory.self()));
    await(directory.publish(service(directory, "mine", 0)));
    assertEquals(1, await(directory.awaitServices("mine", Duration.ofSeconds(1))).size());
    assertEquals(2, directory.nodes().size());
    await(directory.withdraw(service(directory, "mine", 0)));
    assertTrue(directory.services("mine").isEmpty());
    await(directory.close());
    await(directory.close());
    assertEquals(Reason.CLOSED, assertInstanceOf(RdmaException.class, failure(directory.publish(directory.self()))).reason());
  }

  @Test
  void anUnknownTypeIsNamed() {
    String message = failure(DirectoryBackend.open(vertx, new DirectoryOptions().setType("zookeeper"))).getMessage();
    assertTrue(message.contains("'zookeeper'") && message.contains("same-host"), message);
  }

  private Path socket() throws IOException {
    try (Stream<Path> files = Files.walk(temp.resolve("d"))) {
      return files.filter(file -> !Files.isRegularFile(file) && !Files.isDirectory(file)).findFirst().orElseThrow();
    }
  }

  @Test
  void peerThatEndsDuringTheHandshakeIsNoLineOfTheLog() throws Exception {
    sameHost("a");
    Path ending = socket().resolveSibling("0123456789abcdef.peer");
    AtomicInteger met = new AtomicInteger();
    try (LogLines log = new LogLines(SameHostDirectory.class);
      ServerSocketChannel peer = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(ending))) {
      Thread.startVirtualThread(() -> {
        try {
          while (true) {
            peer.accept().close();
            met.incrementAndGet();
          }
        } catch (IOException e) {
          // The test has ended.
        }
      });
      sameHost("b");
      until("it has tried", () -> met.get() > 0);
      assertEquals(List.of(), log.lines());
      Logger.getLogger(SameHostDirectory.class.getName()).setLevel(Level.FINE);
      sameHost("c");
      until("a line for debugging is there", () -> log.lines().stream()
        .anyMatch(line -> line.contains("could not be added") && line.contains("the peer closed the connection during the handshake")));
    }
  }

  @Test
  void refusalOfAProcessOfThisHostSaysWhereItIs() throws Exception {
    sameHost("a");
    try (LogLines log = new LogLines(ControlLinks.class);
      SocketChannel stranger = SocketChannel.open(UnixDomainSocketAddress.of(socket()))) {
      stranger.write(ByteBuffer.wrap(ControlSocket.encode(ControlSocket.JOIN, Buffer.buffer()).getBytes()));
      until("it is refused", () -> !log.warnings().isEmpty());
      assertTrue(log.warnings().getFirst().startsWith("A control connection from a process of this host was refused: "),
        log.warnings()::toString);
    }
  }

  @Test
  void nodesOfOneHostFindEachOther() throws Exception {
    DirectoryBackend a = sameHost("a");
    DirectoryBackend b = sameHost("b");
    List<String> events = new CopyOnWriteArrayList<>();
    DirectoryWatch watch = b.watch(event -> events.add(event.type() + " " + event.entry().key()));
    Future<List<ServiceEntry>> waiting = b.awaitServices("orders", Duration.ofSeconds(20));
    await(a.publish(a.self().withControl("127.0.0.1", 7)));
    await(a.publish(service(a, "orders", 0)));
    await(a.publish(region(a, "table", 1)));
    assertEquals(a.nodeId(), await(waiting).getFirst().nodeId());
    assertEquals(7, b.node("a").orElseThrow().controlPort());
    assertEquals(1, await(b.awaitRegion("table", Duration.ofSeconds(20))).regionId());
    assertEquals(0, a.region("table").orElseThrow().generation());
    await(a.publish(region(a, "table", 1).withKeys(1, List.of())));
    until("the change is seen", () -> b.region("table").orElseThrow().generation() == 1);
    await(a.withdraw(region(a, "table", 1)));
    until("the region is gone", () -> b.region("table").isEmpty());
    await(a.close());
    until("the node is gone", () -> b.node("a").isEmpty() && b.services("orders").isEmpty());
    until("all was told", () -> events.contains("REMOVED n/a"));
    assertEquals(List.of("ADDED n/a", "ADDED e/a/0/orders", "ADDED r/table", "CHANGED r/table", "REMOVED r/table"), events.subList(0, 5));
    watch.close();
    await(b.close());
    try (Stream<Path> files = Files.walk(temp.resolve("d"))) {
      assertEquals(List.of("d", "default"), files.map(path -> path.getFileName().toString()).toList());
    }
  }

  @Test
  void withdrawnEntryStaysWithdrawnWhileOthersChange() throws Exception {
    DirectoryBackend a = sameHost("a");
    DirectoryBackend b = sameHost("b");
    await(a.publish(a.self()));
    await(b.publish(b.self()));
    for (int i = 0; i < 100; i++) {
      await(a.publish(service(a, "orders", 0)));
      // Each change makes the other directory read the folder.
      Future<Void> other = b.publish(service(b, "other", i));
      Future<Void> polled = a.publish(service(a, "poll" + i % 2, 0));
      await(a.withdraw(service(a, "orders", 0)));
      await(other);
      await(polled);
      assertEquals(List.of(), a.services("orders"), "round " + i);
    }
    until("b sees it too", () -> b.services("orders").isEmpty());
  }

  @Test
  void aRegionNameHasOneOwner() throws Exception {
    DirectoryBackend a = sameHost("a");
    DirectoryBackend b = sameHost("b");
    await(a.publish(a.self()));
    await(b.publish(b.self()));
    await(a.publish(region(a, "table", 1)));
    String message = failure(b.publish(region(b, "table", 2))).getMessage();
    assertTrue(message.contains("'table'") && message.contains("node a"), message);
    assertInstanceOf(IllegalStateException.class, failure(a.publish(region(a, "table", 3))));
    await(a.withdraw(region(a, "table", 1)));
    await(b.publish(region(b, "table", 2)));
    assertEquals("b", await(a.awaitNode("b", Duration.ofSeconds(20))).nodeId());
    until("the new owner is seen", () -> a.region("table").filter(r -> r.nodeId().equals("b")).isPresent());
    assertInstanceOf(IllegalArgumentException.class, failure(a.publish(region(b, "x", 1))));
    await(a.close());
    await(b.close());
  }

  @Test
  void manyRegionsPublishedAtOnceArriveAndTakenNameFailsAlone() throws Exception {
    DirectoryBackend a = sameHost("a");
    DirectoryBackend b = sameHost("b");
    await(a.publish(a.self()));
    await(b.publish(b.self()));
    await(b.publish(region(b, "taken", 1)));
    List<Future<?>> published = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      published.add(a.publish(region(a, "table " + i, i)));
    }
    Future<Void> refused = a.publish(region(a, "taken", MANY));
    published.add(a.publish(service(a, "orders", 0)));
    await(Future.all(published));
    assertTrue(failure(refused).getMessage().contains("'taken'"), "it fails by itself");
    until("all is seen", () -> b.regions().size() == MANY + 1 && b.services("orders").size() == 1);
    DirectoryBackend late = sameHost("late");
    until("all is seen by a late one", () -> late.regions().size() == MANY + 1);
    List<Future<?>> withdrawn = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      withdrawn.add(a.withdraw(region(a, "table " + i, i)));
    }
    await(Future.all(withdrawn));
    until("they are gone", () -> b.regions().size() == 1 && late.regions().size() == 1);
  }

  @Test
  void waitingEndsWithWhatIsKnown() throws Exception {
    DirectoryBackend a = sameHost("a");
    await(a.publish(a.self()));
    Throwable failure = failure(a.awaitServices("nothing", Duration.ofMillis(30)));
    assertInstanceOf(TimeoutException.class, failure);
    assertTrue(failure.getMessage().contains("'nothing'") && failure.getMessage().contains("other nodes there: none"),
      failure.getMessage());
    await(a.close());
  }

  @Test
  void closedListenerGetsNoPendingEvents() throws Exception {
    DirectoryBackend a = sameHost("a");
    await(a.publish(a.self()));
    for (int i = 0; i < SERVICES; i++) {
      await(a.publish(service(a, "orders", i)));
    }
    AtomicInteger heard = new AtomicInteger();
    Promise<Void> after = Promise.promise();
    vertx.runOnContext(v -> {
      AtomicReference<DirectoryWatch> watch = new AtomicReference<>();
      watch.set(a.watch(event -> {
        heard.incrementAndGet();
        watch.get().close();
      }));
      vertx.runOnContext(w -> after.complete());
    });
    await(after.future());
    assertEquals(1, heard.get());
    await(a.close());
  }

  /** The verticle's timers end with it. */
  @Test
  void directoryOutlivesTheVerticleThatOpenedIt() throws Exception {
    Promise<DirectoryBackend> opened = Promise.promise();
    String verticle = await(
      vertx.deployVerticle(context -> DirectoryBackend.open(vertx, sameHostOptions(temp.resolve("d"), "a")).onComplete(opened)));
    await(vertx.undeploy(verticle));
    DirectoryBackend a = await(opened.future());
    DirectoryBackend b = sameHost("b");
    await(b.publish(b.self()));
    until("it goes on looking", () -> a.node("b").isPresent());
    await(a.close());
    await(b.close());
  }

  @Test
  void anotherEpochAfterRenewal() throws Exception {
    DirectoryBackend b = sameHost("b");
    SameHostDirectory a = (SameHostDirectory) sameHost("a");
    await(a.publish(a.self()));
    await(a.publish(service(a, "orders", 0)));
    await(a.publish(region(a, "table", 1)));
    await(b.awaitRegion("table", Duration.ofSeconds(20)));
    long before = a.epoch();
    List<Long> heard = new CopyOnWriteArrayList<>();
    List<Long> alsoHeard = new CopyOnWriteArrayList<>();
    a.watchEpoch(heard::add);
    DirectoryWatch second = a.watchEpoch(alsoHeard::add);
    await(a.renew());
    until("the owner hears of it", () -> heard.equals(List.of(a.epoch())));
    until("and everybody else who wants to", () -> alsoHeard.equals(heard));
    second.close();
    assertNotEquals(before, a.epoch());
    until("others see the new epoch", () -> b.services("orders").stream().anyMatch(e -> e.epoch() == a.epoch()));
    until("the region waits for its owner", () -> b.region("table").isEmpty());
    await(a.publish(region(a, "table", 1)));
    await(b.awaitRegion("table", Duration.ofSeconds(20)));
    b.declareDead("a", before);
    assertTrue(b.node("a").isPresent());
    b.declareDead("a", a.epoch());
    assertTrue(b.node("a").isEmpty() && b.region("table").isEmpty());
    await(a.close());
    await(b.close());
  }

  @Test
  void entriesOfAnotherProcessWithThisNodeIdAreIgnored() throws Exception {
    DirectoryBackend directory = sameHost("child");
    await(directory.publish(directory.self()));
    try (ChildJvm child = ChildJvm.start(Child.class, temp.resolve("d").toString())) {
      child.await("published");
      await(directory.publish(service(directory, "orders", 0)));
      assertEquals(List.of(directory.self()), directory.nodes());
      assertEquals(List.of("orders"), directory.services().stream().map(ServiceEntry::name).toList());
    }
    await(directory.close());
  }

  /** Publishes entries, prints this, and waits to be killed. */
  static final class Child {
    public static void main(String[] args) throws Exception {
      DirectoryBackend directory = await(DirectoryBackend.open(Vertx.vertx(), sameHostOptions(Path.of(args[0]), "child")));
      await(directory.publish(directory.self()));
      await(directory.publish((DirectoryEntry) service(directory, "of-child", 0)));
      System.out.println("published");
      Thread.sleep(60_000);
    }
  }

  /** Otherwise the node id would be taken as long as the process lives. */
  @Test
  void failedOpenLeavesNothing() throws Exception {
    Path group = RuntimeFolder.ensure(temp.resolve("d")).resolve("default");
    Files.createFile(group, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    assertInstanceOf(IOException.class, failure(DirectoryBackend.open(vertx, sameHostOptions(temp.resolve("d"), "a"))));
    Files.delete(group);
    assertEquals("a", sameHost("a").nodeId());
  }

  @Test
  void aFolderThatOthersCanReadIsRefused() throws Exception {
    Path open = Files.createDirectory(temp.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    Throwable failure = failure(DirectoryBackend.open(vertx, sameHostOptions(open, "a")));
    assertInstanceOf(IOException.class, failure);
    assertTrue(failure.getMessage().contains("chmod"), failure.getMessage());
    Path link = Files.createSymbolicLink(temp.resolve("link"), Files.createDirectory(temp.resolve("target")));
    assertTrue(failure(DirectoryBackend.open(vertx, sameHostOptions(link, "a"))).getMessage().contains("symbolic link"));
  }
}
