package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.support.Await.await;
import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.directory.NodeEntry;
import io.github.vertxrdma.directory.RegionEntry;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Nodes are in the same-host directory as long as their processes live, whatever /proc and the network show. */
@Timeout(120)
class NodeLifeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROUNDS = 500;

  @TempDir
  Path folder;

  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() throws Exception {
    await(vertx.close());
  }

  private DirectoryBackend directory() throws Exception {
    return await(DirectoryBackend.open(vertx, options(folder)));
  }

  private static DirectoryOptions options(Path folder) {
    return new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setPath(folder.toString()).setGroup("default");
  }

  /** Opens a directory whose node keeps no connections to others, but asks them. */
  private DirectoryBackend asking(String id) throws Exception {
    DirectoryBackend opened = await(vertx.executeBlocking(() -> SameHostDirectory.create(vertx, options(folder).setNodeId(id), 0), false)
      .compose(SameHostDirectory::open));
    await(opened.publish(opened.self()));
    return opened;
  }

  private static RegionEntry region(DirectoryBackend directory, String name) {
    return new RegionEntry(name, directory.nodeId(), directory.epoch(), 1, 4096, Set.of(), 0, RegionEntry.NONE, List.of());
  }

  /** Publishes a node and a region, finds those of others, and waits for a line. Arguments: the folder, the node's id, those of others. */
  static final class Child {
    public static void main(String[] args) throws Exception {
      DirectoryBackend directory = await(DirectoryBackend.open(Vertx.vertx(), options(Path.of(args[0])).setNodeId(args[1])));
      await(directory.publish(directory.self()));
      await(directory.publish(region(directory, "of " + args[1])));
      System.out.println("published");
      for (int i = 2; i < args.length; i++) {
        System.out.println("found " + await(directory.awaitRegion("of " + args[i], PATIENCE)).nodeId());
      }
      System.in.read();
    }
  }

  private ChildJvm child(String id) throws Exception {
    return child(List.of(), id);
  }

  private ChildJvm child(List<String> program, String id, String... others) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(folder.toString(), id));
    arguments.addAll(List.of(others));
    ChildJvm child = ChildJvm.startBy(program, Child.class, arguments.toArray(String[]::new));
    child.await("published");
    return child;
  }

  private List<Path> files() {
    while (true) {
      try (Stream<Path> files = Files.walk(folder)) {
        return files.filter(file -> !Files.isDirectory(file)).toList();
      } catch (IOException | UncheckedIOException e) {
        // A file was removed meanwhile.
        assertTrue(Files.isDirectory(folder), e::toString);
      }
    }
  }

  @Test
  @Tag("alone")
  void stoppedProcessStaysAndKilledOneLosesItsNamesAtOnce() throws Exception {
    try (ChildJvm child = child("child")) {
      DirectoryBackend directory = directory();
      assertTrue(directory.region("of child").isPresent(), "a directory opens with the entries of the others");
      child.signal("STOP");
      long began = System.nanoTime();
      await(directory.publish(directory.self()));
      await(directory.publish(region(directory, "table")));
      assertTrue(System.nanoTime() - began < TimeUnit.SECONDS.toNanos(10), "only the first publication waits for a stopped process");
      assertTrue(directory.node("child").isPresent());
      child.kill();
      long millis = until("its node is gone", () -> directory.node("child").isEmpty());
      System.out.println("same-host directory: a killed process lost its names after " + millis + " ms");
      await(directory.publish(region(directory, "of child")));
      until("its socket is gone", () -> files().size() == 1);
    }
  }

  @Test
  void processThatWasStoppedWhenAnotherStartedIsFoundWhenItContinues() throws Exception {
    try (ChildJvm child = child("child")) {
      child.signal("STOP");
      DirectoryBackend directory = directory();
      assertTrue(directory.node("child").isEmpty());
      Future<RegionEntry> waiting = directory.awaitRegion("of child", PATIENCE);
      child.signal("CONT");
      assertEquals("child", await(waiting).nodeId());
    }
  }

  @Test
  void nodesOfOtherNamespacesAreFound() throws Exception {
    List<String> apart = List.of("unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc");
    List<String> attempt = new ArrayList<>(apart);
    attempt.add("true");
    assumeTrue(new ProcessBuilder(attempt).start().waitFor() == 0, "SKIPPED other namespaces: only root can make them, by unshare(1)");
    DirectoryBackend directory = directory();
    await(directory.publish(directory.self()));
    // Two of them have process id 1 in their namespaces.
    try (ChildJvm child = child(apart, "apart");
      ChildJvm further = child(apart, "further", "apart", "near");
      ChildJvm near = child("near")) {
      for (String each : List.of("apart", "further", "near")) {
        assertEquals(each, await(directory.awaitRegion("of " + each, PATIENCE)).nodeId());
      }
      assertEquals("apart", further.await("found"));
      assertEquals("near", further.await("found"));
      child.kill();
      until("its node is gone", () -> directory.node("apart").isEmpty());
      assertTrue(directory.node("further").isPresent() && directory.node("near").isPresent());
    }
  }

  @Test
  void removedSocketAndFolderAreRestored() throws Exception {
    DirectoryBackend a = directory();
    await(a.publish(a.self()));
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(each -> !each.equals(folder)).sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
    until("the socket is back", () -> files().size() == 1);
    DirectoryBackend b = directory();
    assertTrue(b.node(a.nodeId()).isPresent());
    await(b.close());
    await(a.close());
  }

  /** Versions that kept entries in files have other names in the same folder. */
  @Test
  void filesOfEarlierVersionsStay() throws Exception {
    Path group = Files.createDirectories(folder.resolve("default"));
    Files.setPosixFilePermissions(group, PosixFilePermissions.fromString("rwx------"));
    Path file = Files.writeString(group.resolve("4026531836-1-1-a.node"), "entries");
    Path mark = Files.createFile(group.resolve("4026531836-1-1-a.node.lock"));
    DirectoryBackend directory = directory();
    await(directory.publish(directory.self()));
    assertEquals(List.of(directory.nodeId()), directory.nodes().stream().map(NodeEntry::nodeId).toList());
    await(directory.close());
    assertEquals(List.of(file, mark), files().stream().sorted().toList());
  }

  @Test
  void ofTwoNodesThatClaimOneNameAtOnceOneKeepsIt() throws Exception {
    DirectoryBackend a = directory();
    DirectoryBackend b = directory();
    await(a.publish(a.self()));
    await(b.publish(b.self()));
    for (int round = 0; round < ROUNDS; round++) {
      String owner = claim("table " + round, a, b);
      for (DirectoryBackend each : List.of(a, b)) {
        assertEquals(owner, await(each.awaitRegion("table " + round, PATIENCE)).nodeId());
      }
    }
  }

  @Test
  void ofTwoNodesWithoutConnectionThatClaimOneNameAtOnceOneKeepsIt() throws Exception {
    for (int round = 0; round < 10; round++) {
      DirectoryBackend a = asking("a" + round);
      DirectoryBackend b = asking("b" + round);
      String owner = claim("table", a, b);
      assertTrue(a.node(b.nodeId()).isEmpty());
      DirectoryBackend other = owner.equals(a.nodeId()) ? b : a;
      assertEquals(owner, await(other.awaitRegion("table", PATIENCE)).nodeId());
      await(a.close());
      await(b.close());
    }
  }

  private static String owner(DirectoryBackend directory, String name) {
    return directory.region(name).map(RegionEntry::nodeId).orElse("");
  }

  private static String claim(String name, DirectoryBackend a, DirectoryBackend b) throws Exception {
    Future<Void> first = a.publish(region(a, name));
    Future<Void> second = b.publish(region(b, name));
    boolean isFirst = await(first.map(true).otherwise(false));
    boolean isSecond = await(second.map(true).otherwise(false));
    assertTrue(isFirst || isSecond, "one of both gets the name " + name);
    if (isFirst && isSecond) {
      // On a busy machine the nodes did not confirm in time, so one of them loses the name later.
      until("both nodes know one owner of " + name, () -> !owner(a, name).isEmpty() && owner(a, name).equals(owner(b, name)));
      return owner(a, name);
    }
    String owner = (isFirst ? a : b).nodeId();
    String message = (isFirst ? second : first).cause().getMessage();
    assertTrue(message.contains(name) && message.contains(owner), message);
    return owner;
  }

  @Test
  void nodesOfLargeGroupFindWhatTheyLookUp() throws Exception {
    DirectoryBackend a = asking("a");
    DirectoryBackend b = asking("b");
    DirectoryBackend c = asking("c");
    await(a.publish(region(a, "early")));
    assertTrue(b.region("early").isEmpty(), "it has no connection");
    assertEquals("a", await(b.awaitRegion("early", PATIENCE)).nodeId());
    assertTrue(b.node("c").isEmpty() && c.node("b").isEmpty(), "nodes that are asked in vain are not connected");
    Future<RegionEntry> waiting = b.awaitRegion("late", PATIENCE);
    await(c.publish(region(c, "late")));
    assertEquals("c", await(waiting).nodeId());
    Future<RegionEntry> ofNew = a.awaitRegion("new", PATIENCE);
    DirectoryBackend d = asking("d");
    await(d.publish(region(d, "new")));
    assertEquals("d", await(ofNew).nodeId());
    assertTrue(await(d.publish(region(d, "early")).map("").otherwise(Throwable::getMessage)).contains("node a"));
    await(c.close());
    until("it is gone", () -> b.region("late").isEmpty());
  }

  @Test
  void startingNodeConnectsToFewOthers() throws Exception {
    int most = 64;
    for (int i = 0; i < most; i++) {
      asking("node " + i);
    }
    DirectoryBackend starting = directory();
    until("it is connected", () -> starting.nodes().size() == most);
    await(starting.close());
    asking("last");
    assertEquals(0, directory().nodes().size(), "nodes that it knows");
  }

  @Test
  void nodesMeetInFolderWhosePathIsTooLongForSockets() throws Exception {
    folder = folder.resolve("long".repeat(20)).resolve("path".repeat(20));
    DirectoryBackend directory = directory();
    await(directory.publish(directory.self()));
    try (ChildJvm child = child("child")) {
      assertEquals("child", await(directory.awaitRegion("of child", PATIENCE)).nodeId());
      child.kill();
      until("its node and socket are gone", () -> directory.node("child").isEmpty() && files().size() == 1);
    }
    await(directory.close());
    assertEquals(List.of(), files());
  }

  @Test
  void connectionsWithoutProofEndNoOtherOfTheFolder() throws Exception {
    directory();
    List<SocketChannel> silent = new ArrayList<>();
    long began = System.nanoTime();
    try {
      for (int i = 0; i < 2 * ControlLinks.MOST_UNPROVEN_OF_ONE; i++) {
        silent.add(SocketChannel.open(UnixDomainSocketAddress.of(files().getFirst())));
      }
      DirectoryBackend other = directory();
      await(other.publish(other.self()));
      silent.getFirst().configureBlocking(false);
      int read = silent.getFirst().read(ByteBuffer.allocate(1));
      // It is closed after 5 s.
      assertTrue(read == 0 || System.nanoTime() - began > TimeUnit.SECONDS.toNanos(4), "the first connection is open");
    } finally {
      for (SocketChannel each : silent) {
        each.close();
      }
    }
  }

  @Test
  void publicationsOfOneNodeShareTheirConnections() throws Exception {
    DirectoryBackend a = asking("a");
    List<DirectoryBackend> others = List.of(asking("b"), asking("c"));
    long before = descriptors();
    AtomicLong most = new AtomicLong();
    List<Future<?>> published = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      published.add(a.publish(region(a, "table " + i)).onComplete(done -> most.accumulateAndGet(descriptors(), Math::max)));
    }
    await(Future.all(published));
    assertEquals(0, others.getFirst().regions().size());
    assertTrue(most.get() - before < 50, most.get() - before + " descriptors more");
  }

  @ParameterizedTest
  @CsvSource({"Too many open files, true, Raise the limit of open files", "No space left on device, true, Make room",
    "Read-only file system, false, Name a folder", "Address family not supported by protocol, true, Permit sockets of AF_UNIX"})
  void failedListeningNamesRemedyOfItsCause(String cause, boolean isWritable, String remedy) {
    String message = FolderControl.refusal(folder, new SocketException(cause), isWritable).getMessage();
    assertTrue(message.contains(cause + ". " + remedy), message);
  }

  private static long descriptors() {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
