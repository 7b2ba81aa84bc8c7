package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.ChildJvm;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory in files of the meeting folder, and channels of the JDK: promises beyond the contract. */
class MappedFilesTest {
  /** Short, since names of sockets are. */
  private Path runtime;

  @BeforeEach
  void makeFolder() throws IOException {
    runtime = Files.createTempDirectory("vr");
  }

  @AfterEach
  void removeFolder() throws IOException, InterruptedException {
    new ProcessBuilder("rm", "-rf", runtime.toString()).inheritIO().start().waitFor();
  }

  static Device device() {
    return Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.FILES, "true"));
  }

  private Device ownDevice() {
    return ownDevice(10_000);
  }

  private Device ownDevice(int idleMillis) {
    return Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.FILES, "true", "runtime", runtime.toString(), ShmProvider.IDLE,
      String.valueOf(idleMillis)));
  }

  /** The files that are not sockets, but for what tells that their owners live. */
  private List<String> files() throws IOException {
    try (Stream<Path> all = Files.list(runtime.resolve("shm"))) {
      return all.map(path -> path.getFileName().toString()).filter(name -> name.startsWith(".file-")).toList();
    }
  }

  private List<String> owners() throws IOException {
    try (Stream<Path> all = Files.list(runtime.resolve("shm"))) {
      return all.map(path -> path.getFileName().toString()).filter(name -> name.startsWith(".owner-")).toList();
    }
  }

  @Test
  void serveWhereNativeAccessIsDenied() throws Exception {
    Process child = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC", "--illegal-native-access=deny",
      "-cp", System.getProperty("java.class.path"), Denied.class.getName(), runtime.toString()).redirectErrorStream(true).start();
    try {
      String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, child.waitFor(), said);
      assertEquals("shm (mapped files)", said.strip());
    } finally {
      child.destroyForcibly();
    }
    assertEquals(List.of(), files());
    assertEquals(List.of(), owners(), "left by a process that ended");
  }

  /** Sends a message over the device that there is, and prints that. */
  static final class Denied {
    private Denied() {
    }

    /** @param arguments the runtime folder */
    public static void main(String[] arguments) {
      Device device = new ShmProvider().discover(new DiscoveryOptions(null, Map.of("runtime", arguments[0]))).devices().getFirst();
      try (Pair pair = Pair.connected(device)) {
        pair.a.send(pair.left(), Pattern.bytes(1, 3000), PostFlags.SIGNALED);
        Pattern.check(pair.message(pair.b).data(), 3000, 1);
      }
      System.out.println(device);
    }
  }

  @Test
  void filesAreThisUsersAloneAndRingsHaveNoNameOnceTheyAreMapped() throws IOException {
    try (Pair pair = Pair.connected(ownDevice())) {
      pair.a.send(pair.left(), Pattern.bytes(1, 300), PostFlags.SIGNALED);
      Pattern.check(pair.message(pair.b).data(), 300, 1);
      pair.until("the pages of both queues alone have names", () -> {
        try {
          return files().size() == 2;
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      });
      for (String name : files()) {
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(runtime.resolve("shm").resolve(name))));
      }
    }
    assertEquals(List.of(), files());
  }

  @Test
  void ringsThatGrewLeaveNothing() throws IOException {
    try (Pair pair = Pair.connected(ownDevice(), new PairOptions().withSlots(64, 4000))) {
      for (int i = 0; i < 30; i++) {
        pair.a.send(pair.left(), Pattern.bytes(i, 4000), PostFlags.SIGNALED);
      }
      assertTrue(((ShmEndpoint) pair.left()).peering().output().writer().capacity() > Ring.SMALLEST);
      for (int i = 0; i < 30; i++) {
        Pattern.check(pair.message(pair.b).data(), 4000, i);
      }
    }
    assertEquals(List.of(), files());
  }

  @Test
  void ringsThatGrewAndShrankAreForgotten() {
    Device device = ownDevice(50);
    try (Pair pair = Pair.connected(device, new PairOptions().withSlots(64, 4000))) {
      RingOutput output = ((ShmEndpoint) pair.left()).peering().output();
      for (int cycle = 0; cycle < 5; cycle++) {
        for (int i = 0; i < 30; i++) {
          pair.a.send(pair.left(), new byte[4000], 0);
        }
        assertTrue(output.writer().capacity() > Ring.SMALLEST);
        pair.until("it shrinks", () -> output.writer().capacity() == Ring.SMALLEST);
      }
      int names = NamedFiles.in(((ShmDevice) device).folder()).remembered();
      // The pages of both queues, and the last ring.
      assertTrue(names <= 3, names + " names");
    }
  }

  @Test
  void ringsThatThePeerHadNotMappedWhenBothLeftLeaveNothing() throws IOException {
    try (Pair pair = Pair.connected(ownDevice(), new PairOptions().withSlots(64, 4000).withTwoDomains())) {
      for (int i = 0; i < 30; i++) {
        pair.a.send(pair.left(), new byte[4000], 0);
      }
      pair.a.closeQueue();
      assertTrue(files().size() > 1, "the rings wait for the peer: " + files());
      pair.b.closeQueue();
      assertEquals(List.of(), files());
    }
  }

  /** In containers most processes have one id. */
  @Test
  void filesOfAnEarlierProcessOfTheSameIdAreRemoved() throws IOException {
    Device device = ownDevice();
    String earlier = ProcessHandle.current().pid() + "-1-abc";
    Files.createFile(runtime.resolve("shm").resolve(".owner-" + earlier));
    Files.createFile(runtime.resolve("shm").resolve(".file-" + earlier + "-0"));
    try (Domain domain = device.open()) {
      domain.createCompletionQueue(16).close();
    }
    assertEquals(List.of(), files());
    assertEquals(1, owners().size(), "the own one alone");
  }

  @Test
  void whoSharesOtherwiseIsOfAnotherSubnet() {
    String runtimeFolder = runtime.toString();
    Device descriptors = Devices.require(List.of(new ShmProvider()), "shm", Map.of("runtime", runtimeFolder));
    assertNotEquals(descriptors.subnet(), ownDevice().subnet());
    assertTrue(ownDevice().subnet().startsWith(descriptors.subnet()), ownDevice().subnet());
  }

  @Test
  void whoConnectsToSocketsOfTheOtherKindIsToldSo() {
    Device descriptors = Devices.require(List.of(new ShmProvider()), "shm", Map.of("runtime", runtime.toString()));
    try (Domain one = descriptors.open(); Side listening = new Side(one, new PairOptions());
         Domain other = ownDevice().open(); Side side = new Side(other, new PairOptions())) {
      side.connect(listening.listenAndAccept().localAddress());
      Await.until("refused", () -> side.cause != null, side::poll, side::toString);
      assertTrue(side.cause.getMessage().startsWith("shm: "), side.cause.getMessage());
    }
  }

  @Test
  void groupsNeedNativeCalls() {
    Discovery found = new ShmProvider().discover(new DiscoveryOptions(null, Map.of(ShmProvider.FILES, "true", MeetingFolder.GROUP, "0")));
    assertTrue(found.devices().isEmpty() && found.unavailable().toString().contains("native access"), found.toString());
  }

  @Test
  void anArmedQueueWakesItsOwner() throws Exception {
    try (Pair pair = Pair.connected(device())) {
      Semaphore rung = new Semaphore(0);
      pair.b.queue().wakeupHandler(rung::release);
      for (int i = 0; i < 100; i++) {
        pair.until("safe to sleep", pair.b.queue()::arm);
        rung.drainPermits();
        pair.a.send(pair.left(), new byte[10], 0);
        assertTrue(rung.tryAcquire(20, TimeUnit.SECONDS));
        pair.message(pair.b);
      }
    }
  }

  @Test
  void aKilledPeerIsHeardOfItsNameTakenOverAndItsFilesRemoved() throws Exception {
    String[] settings = {"peer", ShmProvider.FILES, "true", "runtime", runtime.toString()};
    try (Domain domain = ownDevice().open(); Side side = new Side(domain, new PairOptions())) {
      try (ChildJvm child = ChildJvm.start(ShmChild.class, settings)) {
        byte[] key = HexFormat.of().parseHex(child.await("region "));
        child.await("listening ");
        side.connect(EndpointAddress.of("peer"));
        Await.until("connected", () -> !side.connected.isEmpty(), side::poll, side::toString);
        MemoryRegion mine = side.openRegion(4096);
        RemoteMemory theirs = domain.remoteMemory(0, 1 << 20, key);
        side.endpoint.post(new WorkRequest().read(mine, 0, 4096, theirs, 0).id(1).flags(PostFlags.SIGNALED));
        Await.until("the read", () -> side.completion(1) != null, side::poll, side::toString);
        assertTrue(side.completion(1).ok(), side.completion(1).toString());
        side.send(side.endpoint, Pattern.bytes(1, 64), PostFlags.SIGNALED);
        Await.until("the echo", () -> !side.messages.isEmpty(), side::poll, side::toString);
        child.kill();
        Await.until("its end", () -> !side.disconnected.isEmpty(), side::poll, side::toString);
        assertEquals(Reason.DISCONNECTED, side.cause.reason());
        assertEquals(0, side.endpoint.outstanding());
      }
      assertEquals(2, owners().size());
      List<String> left = new ArrayList<>(files());
      try (ChildJvm again = ChildJvm.start(ShmChild.class, settings); Side other = new Side(domain, new PairOptions())) {
        again.await("listening ");
        other.connect(EndpointAddress.of("peer"));
        Await.until("connected", () -> !other.connected.isEmpty(), other::poll, other::toString);
        assertEquals(2, owners().size());
        left.removeIf(name -> name.startsWith(".file-" + ProcessHandle.current().pid() + "-"));
        assertEquals(1, left.size(), "the page of the killed process's queue");
        assertTrue(Files.notExists(runtime.resolve("shm").resolve(left.getFirst())));
        assertTrue(files().size() >= 3, "the living ones keep theirs: " + files());
      }
    }
  }

  /** A tmpfs that one process alone sees. */
  @Test
  void aFullDiskIsToldByName() throws Exception {
    assumeTrue(canMount(), "SKIPPED full disks: only root can mount a small one, by unshare(1)");
    List<String> small = List.of("unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=1m tmpfs " + runtime + " && exec \"$@\"", "sh");
    try (ChildJvm child = ChildJvm.startBy(small, Full.class, runtime.toString())) {
      String said = child.await("full:");
      assertTrue(said.startsWith("LIMIT") && said.contains("No space left") && said.contains("VERTX_RDMA_RUNTIME"), said);
      child.await("works again");
      assertEquals(0, child.waitFor());
    }
  }

  private boolean canMount() throws InterruptedException {
    try {
      return new ProcessBuilder("unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", runtime.toString()).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  /** Makes a queue where there is no room, and then where there is. */
  static final class Full {
    private Full() {
    }

    /** @param arguments a small disk */
    public static void main(String[] arguments) throws IOException {
      String run = Path.of(arguments[0], "run").toString();
      Device device = Devices.require(List.of(new ShmProvider()), "shm", Map.of(ShmProvider.FILES, "true", "runtime", run));
      Path filler = Path.of(arguments[0], "filler");
      try (Domain domain = device.open()) {
        // The first file of a process begins with its owner's.
        domain.createCompletionQueue(16).close();
        try (OutputStream out = Files.newOutputStream(filler)) {
          while (true) {
            out.write(new byte[4096]);
          }
        } catch (IOException e) {
          // It is full.
        }
        try {
          domain.createCompletionQueue(16);
        } catch (ProviderException e) {
          System.out.println("full:" + e.reason() + " " + e.getMessage());
        }
      }
      Files.delete(filler);
      try (Pair pair = Pair.connected(device)) {
        pair.a.send(pair.left(), Pattern.bytes(1, 300), PostFlags.SIGNALED);
        Pattern.check(pair.message(pair.b).data(), 300, 1);
      }
      System.out.println("works again");
    }
  }
}
