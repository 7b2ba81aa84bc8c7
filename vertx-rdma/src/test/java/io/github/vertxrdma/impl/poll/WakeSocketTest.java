package io.github.vertxrdma.impl.poll;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
@Tag("polling")
class WakeSocketTest {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final int ROUNDS = Boolean.getBoolean("vertx.rdma.test.full") ? 20_000 : 5_000;

  @TempDir
  Path temporary;
  private Path folder;

  @BeforeEach
  void ownFolder() throws IOException {
    folder = Files.createTempDirectory(Files.isDirectory(MEMORY) ? MEMORY : temporary, "run");
    System.setProperty("vertx.rdma.runtime", folder.toString());
  }

  @AfterEach
  void noFilesAreLeft() throws IOException {
    System.clearProperty("vertx.rdma.runtime");
    until("its files are gone", () -> files().isEmpty());
    Files.delete(folder);
  }

  private List<String> files() {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @CsvSource({"epoll", "nio", "blocking", "adaptive"})
  @Timeout(300)
  void noWakeUpIsLostBetweenTwoProcesses(String kind) throws Exception {
    Path fabric = temporary.resolve("fabric");
    try (WakeSocketEnd a = new WakeSocketEnd(kind, fabric, 0, ROUNDS);
      ChildJvm child = ChildJvm.start(WakeSocketEnd.class, kind, fabric.toString(), Integer.toString(ROUNDS), folder.toString())) {
      byte[] peer = Base64.getDecoder().decode(child.await("waker "));
      child.send(Base64.getEncoder().encodeToString(a.descriptor()));
      child.await("started");
      a.start(peer, true);
      awaitRounds(a);
      child.await("done");
      child.send("end");
      child.await("gone");
    }
  }

  private static void awaitRounds(WakeSocketEnd end) throws InterruptedException {
    for (long before = -1; !end.done.await(30, TimeUnit.SECONDS); before = end.received) {
      assertTrue(end.received != before, "a wake-up was lost: " + end.received + " rounds, and no more for 30 s");
    }
  }

  @Test
  void itsFilesAreTheUsersAlone() throws Exception {
    try (WakeSocket waker = WakeSocket.open()) {
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
      WakeFile file = WakeFile.parse(waker.descriptor());
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.path())));
      assertTrue(Files.exists(file.socket()));
    }
  }

  @Test
  void wordsAreInMemoryIfTheRuntimeFolderIsOnDisk() throws Exception {
    assumeTrue(Files.isDirectory(MEMORY), "SKIPPED memory: this system has no /dev/shm");
    Path onDisk = temporary.resolve("run");
    System.setProperty("vertx.rdma.runtime", onDisk.toString());
    try (WakeSocket waker = WakeSocket.open(); PeerWaker peer = PeerWaker.open(waker.descriptor())) {
      assertEquals("tmpfs", Files.getFileStore(WakeFile.parse(waker.descriptor()).path()).type());
      waker.sleeping(false);
      assertTrue(peer.wake());
    }
  }

  @Test
  void onlyASleeperIsRung() throws Exception {
    try (WakeSocket waker = WakeSocket.open(); PeerWaker peer = PeerWaker.open(waker.descriptor())) {
      assertFalse(peer.wake());
      waker.sleeping(false);
      assertTrue(peer.wake());
      for (int i = 0; i < 10_000; i++) {
        peer.wake();
      }
      waker.awake();
      assertFalse(peer.wake());
    }
  }

  @Test
  void wakeMarksTheLoopAsNeededAwakeAndAsleep() throws Exception {
    try (WakeSocket waker = WakeSocket.open(); PeerWaker peer = PeerWaker.open(waker.descriptor())) {
      assertFalse(waker.takePosted());
      assertFalse(peer.wake());
      assertTrue(waker.takePosted());
      assertFalse(waker.takePosted());
      waker.sleeping(false);
      assertTrue(peer.wake());
      assertTrue(waker.takePosted());
    }
  }

  @Test
  void aSleeperThatWaitsIsRungByWhomItWaitsFor() throws Exception {
    try (WakeSocket initiator = WakeSocket.open();
      PeerWaker toInitiator = PeerWaker.open(initiator.descriptor());
      WakeSocket target = WakeSocket.open();
      PeerWaker toTarget = PeerWaker.open(target.descriptor())) {
      initiator.sleeping(false);
      assertFalse(toInitiator.wakeWaiting(), "it sleeps and waits for nothing");
      initiator.awake();
      assertFalse(target.takeWaiting());
      toTarget.waitFor();
      initiator.sleeping(true);
      assertTrue(target.takeWaiting());
      assertFalse(target.takeWaiting());
      assertTrue(toInitiator.wakeWaiting());
      initiator.awake();
      assertFalse(toInitiator.wakeWaiting());
    }
  }

  @Test
  void ringingTheDeadIsHarmless() throws Exception {
    WakeSocket waker = WakeSocket.open();
    waker.sleeping(false);
    try (PeerWaker peer = PeerWaker.open(waker.descriptor())) {
      waker.close();
      assertFalse(peer.wake());
      assertThrows(IOException.class, () -> PeerWaker.open(waker.descriptor()));
    }
  }

  @Test
  void forgedDescriptorsAreRefused() throws Exception {
    try (WakeSocket waker = WakeSocket.open()) {
      byte[] descriptor = waker.descriptor();
      byte[] otherToken = descriptor.clone();
      otherToken[5] ^= 1;
      assertThrows(IOException.class, () -> PeerWaker.open(otherToken));
      assertThrows(IOException.class, () -> PeerWaker.open(new byte[0]));
      byte[] noPath = descriptor.clone();
      noPath[noPath.length - 1] = 0;
      assertThrows(IOException.class, () -> PeerWaker.open(noPath));
      assertThrows(IOException.class, () -> PeerWaker.open(new WakeFile(Path.of("/etc/passwd"), Path.of("/x"), 1).descriptor()));
      Path open = folder.resolve("wake-1-1.word");
      Files.write(open, new byte[64]);
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-"));
      assertThrows(IOException.class, () -> PeerWaker.open(new WakeFile(open, open, 1).descriptor()));
      Files.delete(open);
    }
  }

  @Test
  void filesOfTheDeadAreRemovedAndThoseOfTheLivingStay() throws Exception {
    String living;
    try (ChildJvm child = ChildJvm.start(WakeSocketEnd.class, "epoll", temporary.resolve("fabric").toString(), "1", folder.toString())) {
      living = child.await("waker ");
      assertEquals(2, files().size());
      WakeSocket.open().close();
      assertEquals(2, files().size(), "a living process lost its waker");
      PeerWaker.open(Base64.getDecoder().decode(living)).close();
      child.kill();
    }
    assertEquals(2, files().size());
    try (ChildJvm child = ChildJvm.start(WakeSocketEnd.class, "epoll", temporary.resolve("fabric").toString(), "1", folder.toString())) {
      child.await("waker ");
      assertEquals(2, files().size(), "the waker of the dead is still there");
      assertThrows(IOException.class, () -> PeerWaker.open(Base64.getDecoder().decode(living)));
      child.send("nonsense");
    }
    Files.list(folder).forEach(f -> assertTrue(f.toFile().delete()));
  }
}
