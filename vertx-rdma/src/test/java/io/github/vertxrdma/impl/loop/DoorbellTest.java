package io.github.vertxrdma.impl.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DoorbellTest {
  private static final int ROUNDS = 20_000;

  @TempDir
  Path temporary;
  private Path folder;

  @BeforeEach
  void ownFolder() {
    folder = temporary.resolve("run");
    System.setProperty("vertx.rdma.runtime", folder.toString());
  }

  @AfterEach
  void noFilesAreLeft() throws IOException {
    System.clearProperty("vertx.rdma.runtime");
    if (Files.exists(folder)) {
      assertEquals(List.of(), files());
    }
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(f -> f.getFileName().toString()).toList();
    }
  }

  @ParameterizedTest
  @CsvSource({"epoll,epoll", "epoll,nio", "blocking,blocking", "adaptive,epoll", "adaptive,adaptive"})
  @Timeout(300)
  void noWakeUpIsLostBetweenTwoLoops(String one, String other) throws Exception {
    Path fabric = temporary.resolve("fabric");
    try (DoorbellEnd a = new DoorbellEnd(one, fabric, 0, ROUNDS); DoorbellEnd b = new DoorbellEnd(other, fabric, 1, ROUNDS)) {
      assertTrue(a.waiting().contains("doorbell"), a.waiting());
      b.start(a.descriptor(), false);
      a.start(b.descriptor(), true);
      awaitRounds(a);
      awaitRounds(b);
    }
  }

  @ParameterizedTest
  @CsvSource({"epoll", "adaptive"})
  @Timeout(300)
  void noWakeUpIsLostBetweenTwoProcesses(String kind) throws Exception {
    Path fabric = temporary.resolve("fabric");
    try (DoorbellEnd a = new DoorbellEnd(kind, fabric, 0, ROUNDS);
         ChildJvm child = ChildJvm.start(DoorbellEnd.class, kind, fabric.toString(), Integer.toString(ROUNDS), folder.toString())) {
      byte[] peer = Base64.getDecoder().decode(child.await("bell "));
      child.tell(Base64.getEncoder().encodeToString(a.descriptor()));
      child.await("started");
      a.start(peer, true);
      awaitRounds(a);
      child.await("done");
      child.tell("end");
      child.await("gone");
    }
  }

  /** Progress, however slow the machine, but never a stop. */
  private static void awaitRounds(DoorbellEnd end) throws InterruptedException {
    for (long before = -1; !end.done.await(10, TimeUnit.SECONDS); before = end.received) {
      assertTrue(end.received != before, "a wake-up was lost: " + end.received + " rounds, and no more for 10 s");
    }
  }

  @Test
  @Timeout(60)
  void itsFilesAreTheUsersAlone() throws Exception {
    try (Doorbell bell = Doorbell.open()) {
      assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(folder)));
      BellFile file = BellFile.parse(bell.descriptor());
      assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file.word())));
      assertTrue(Files.exists(file.socket()));
    }
  }

  @Test
  @Timeout(60)
  void onlyASleeperIsRung() throws Exception {
    try (Doorbell bell = Doorbell.open(); PeerBell peer = PeerBell.open(bell.descriptor())) {
      assertFalse(peer.ring());
      bell.sleeping(false);
      assertTrue(peer.ring());
      for (int i = 0; i < 10_000; i++) {
        peer.ring();
      }
      bell.awake();
      assertFalse(peer.ring());
    }
  }

  @Test
  @Timeout(60)
  void whoPollsLearnsThatItIsNeeded() throws Exception {
    try (Doorbell bell = Doorbell.open(); PeerBell peer = PeerBell.open(bell.descriptor())) {
      assertFalse(bell.needed());
      assertFalse(peer.ring());
      assertTrue(bell.needed());
      assertFalse(bell.needed());
      bell.sleeping(false);
      assertTrue(peer.ring());
      assertTrue(bell.needed());
    }
  }

  @Test
  @Timeout(60)
  void aSleeperThatWaitsIsRungByWhomItWaitsFor() throws Exception {
    try (Doorbell initiator = Doorbell.open(); PeerBell ofInitiator = PeerBell.open(initiator.descriptor());
         Doorbell target = Doorbell.open(); PeerBell ofTarget = PeerBell.open(target.descriptor())) {
      initiator.sleeping(false);
      assertFalse(ofInitiator.ringWaiting(), "it sleeps and waits for nothing");
      initiator.awake();
      assertFalse(target.waited());
      ofTarget.waitFor();
      initiator.sleeping(true);
      assertTrue(target.waited());
      assertFalse(target.waited());
      assertTrue(ofInitiator.ringWaiting());
      initiator.awake();
      assertFalse(ofInitiator.ringWaiting());
    }
  }

  @Test
  @Timeout(60)
  void ringingTheDeadIsHarmless() throws Exception {
    Doorbell bell = Doorbell.open();
    bell.sleeping(false);
    try (PeerBell peer = PeerBell.open(bell.descriptor())) {
      bell.close();
      assertFalse(peer.ring());
      assertThrows(IOException.class, () -> PeerBell.open(bell.descriptor()));
    }
  }

  @Test
  @Timeout(60)
  void forgedDescriptorsAreRefused() throws Exception {
    try (Doorbell bell = Doorbell.open()) {
      byte[] descriptor = bell.descriptor();
      byte[] otherToken = descriptor.clone();
      otherToken[5] ^= 1;
      assertThrows(IOException.class, () -> PeerBell.open(otherToken));
      assertThrows(IOException.class, () -> PeerBell.open(new byte[0]));
      assertThrows(IOException.class, () -> PeerBell.open(new BellFile(Path.of("/etc/passwd"), Path.of("/x"), 1).descriptor()));
      Path open = folder.resolve("bell-1-1.word");
      Files.write(open, new byte[64]);
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-rw-rw-"));
      assertThrows(IOException.class, () -> PeerBell.open(new BellFile(open, open, 1).descriptor()));
      Files.delete(open);
    }
  }

  @Test
  @Timeout(60)
  void bellsOfTheDeadAreTakenDownAndThoseOfTheLivingStay() throws Exception {
    String living;
    try (ChildJvm child = ChildJvm.start(DoorbellEnd.class, "epoll", temporary.resolve("fabric").toString(), "1", folder.toString())) {
      living = child.await("bell ");
      assertEquals(2, files().size());
      Doorbell.open().close();
      assertEquals(2, files().size(), "a living process lost its bell");
      PeerBell.open(Base64.getDecoder().decode(living)).close();
      child.kill();
    }
    assertEquals(2, files().size());
    try (ChildJvm child = ChildJvm.start(DoorbellEnd.class, "epoll", temporary.resolve("fabric").toString(), "1", folder.toString())) {
      child.await("bell ");
      assertEquals(2, files().size(), "the bell of the dead is still there");
      assertThrows(IOException.class, () -> PeerBell.open(Base64.getDecoder().decode(living)));
      child.tell("nonsense");
    }
    Files.list(folder).forEach(f -> assertTrue(f.toFile().delete()));
  }
}
