package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.provider.contract.Side;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import java.lang.foreign.Arena;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each message on the socket of a sleeping queue wakes the queue once, and none is lost. */
class WakeUpTest {
  private static final int MANY = 100;

  private Pair pair;
  private QueueLink bell;

  @BeforeEach
  void connect() {
    pair = Pair.connected(ShmDeviceTest.device());
    bell = ((ShmEndpoint) pair.right()).link();
    fallAsleep();
  }

  @AfterEach
  void close() {
    pair.close();
  }

  private boolean readable() {
    return readable(pair.a);
  }

  private static boolean readable(Side side) {
    return FileDescriptor.readable(side.queue().fd(), 0);
  }

  private void fallAsleep() {
    pair.until("a sleeps", () -> pair.a.queue().arm() && !readable());
  }

  @Test
  void onePollConsumesTwoWakeUps() {
    bell.wake();
    bell.wake();
    pair.a.poll();
    assertTrue(pair.a.queue().arm());
    assertFalse(readable());
  }

  @Test
  void armReadsNoSocketAndWaitingDataWakesIt() {
    pair.a.poll();
    bell.wake();
    assertTrue(pair.a.queue().arm());
    assertTrue(readable());
    pair.a.poll();
    assertTrue(pair.a.queue().arm());
    assertFalse(readable());
  }

  @Test
  void wakeUpDoesNotHideDataThatCameWithIt() {
    MemoryRegion theirs = pair.a.openRegion(4096);
    theirs.segment().fill((byte) 5);
    RemoteMemory remote = pair.b.remote(theirs);
    MemoryRegion mine = pair.b.openRegion(4096);
    bell.wake();
    pair.right().post(new WorkRequest().read(mine, 0, 4096, remote, 0).id(1).flags(PostFlags.SIGNALED));
    bell.wake();
    pair.success(pair.b, 1);
    assertEquals(5, mine.segment().get(java.lang.foreign.ValueLayout.JAVA_BYTE, 4095));
    fallAsleep();
  }

  @Test
  void endOfAPeerIsReportedBehindItsWakeUp() {
    bell.wake();
    pair.b.close();
    assertTrue(readable());
    pair.a.poll();
    pair.a.poll();
    assertEquals(1, pair.a.disconnected.size());
    assertEquals(ProviderException.Reason.DISCONNECTED, pair.a.cause.reason());
    assertEquals(0, ((ShmQueue) pair.a.queue()).links());
  }

  private void wakeAgainAndAgain() {
    for (int i = 0; i < 10; i++) {
      bell.wake();
      pair.a.poll();
      assertTrue(pair.a.queue().arm());
      assertFalse(readable());
    }
  }

  @Test
  void peerThatWakesRepeatedlyHidesNoOther() {
    Listener listener = pair.a.listenAndAccept();
    try (Side other = new Side(pair.a.domain(), new PairOptions())) {
      wakeAgainAndAgain();
      bell.wake();
      other.connect(listener.localAddress());
      pair.a.poll();
      assertTrue(!pair.a.requests.isEmpty() || !pair.a.queue().arm() || readable());
      Await.until("connected", () -> !other.connected.isEmpty(), () -> other.poll() + (readable() ? pair.a.poll() : 0), other::toString);
    }
  }

  @Test
  void peerThatAlwaysSendsHidesNoOther() {
    Listener listener = pair.a.listenAndAccept();
    try (Side other = new Side(pair.a.domain(), new PairOptions())) {
      wakeAgainAndAgain();
      other.connect(listener.localAddress());
      for (int i = 0; i < MANY && other.connected.isEmpty(); i++) {
        bell.wake();
        pair.a.poll();
        pair.a.queue().arm();
        other.poll();
      }
      assertFalse(other.connected.isEmpty(), "not accepted in " + MANY + " wake-ups by another");
    }
  }

  @Test
  void closedPeerThatWokeItOftenWakesTheSleeper() {
    wakeAgainAndAgain();
    pair.b.close();
    assertTrue(readable());
    pair.a.poll();
    pair.a.poll();
    assertEquals(1, pair.a.disconnected.size());
    assertTrue(pair.a.queue().arm());
    assertFalse(readable());
  }

  @Test
  void peerThatWakesEndlesslyDelaysNoOther() {
    for (int i = 0; i < MANY; i++) {
      bell.wake();
    }
    pair.a.poll();
    assertTrue(readable(), "all was taken in one poll");
    int polls = 1;
    while (readable()) {
      pair.a.poll();
      polls++;
    }
    assertTrue(polls <= MANY / 4, polls + " polls for " + MANY + " wake-ups");
    pair.b.send(pair.right(), Pattern.bytes(1, 300), PostFlags.SIGNALED);
    Pattern.check(pair.message(pair.a).data(), 300, 1);
  }

  @Test
  void armFailsAfterASignalledPost() {
    long id = pair.a.send(pair.left(), new byte[8], PostFlags.SIGNALED);
    assertFalse(pair.a.queue().arm());
    pair.success(pair.a, id);
  }

  @Test
  void armFailsWhileAPostIsHeld() {
    pair.a.send(pair.left(), new byte[8], PostFlags.MORE);
    assertFalse(pair.a.queue().arm());
  }

  @Test
  void aReceiveThatAMessageWaitsForIsPostedAmidASleep() {
    pair.a.reposting(false);
    int slots = pair.a.slotsPosted();
    for (int i = 0; i <= slots; i++) {
      pair.b.send(pair.right(), new byte[8], 0);
    }
    pair.until("one message waits", () -> pair.a.messages.size() == slots && ((ShmEndpoint) pair.left()).incoming.holds());
    fallAsleep();
    pair.a.reposting(true);
    assertFalse(pair.a.queue().arm());
    pair.until("it is there", () -> pair.a.messages.size() == slots + 1);
  }

  @Test
  void earlierDeadlineEndsTheSleep() {
    ((ShmQueue) pair.a.queue()).deadline(20, () -> {
    });
    assertTrue(pair.a.queue().arm());
    assertTrue(FileDescriptor.readable(pair.a.queue().fd(), (int) Await.PATIENCE_MILLIS));
  }

  @Test
  void fullRingWakesTheSleeperWhenItHasRoom() {
    fill(pair, 4000, 1);
    assertTrue(pair.a.queue().arm());
    assertFalse(readable());
    Await.until("a is woken", this::readable, pair.b::poll, pair.b::toString);
  }

  @Test
  void roomFoundBeforeASleepIsUsed() {
    fill(pair, 4000, 1);
    pair.a.poll();
    RingWriter ring = ((ShmEndpoint) pair.left()).link().output.writer();
    Await.until("b has read all", ring::isRead, pair.b::poll, pair.b::toString);
    assertFalse(pair.a.queue().arm());
    pair.a.poll();
    assertEquals(0, pair.left().outstanding());
  }

  private static int fill(Pair pair, int length, int waiting) {
    MemoryRegion memory = pair.a.openRegion(length);
    int posted = 0;
    while (pair.left().outstanding() < waiting) {
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(memory, 0, length).flags(0)));
      posted++;
    }
    return posted - waiting;
  }

  @Test
  void stoppedProcessWakesNoPeerAgain() {
    fill(pair, 4000, 1);
    pair.until("all is read", () -> pair.left().outstanding() == 0 && ((ShmEndpoint) pair.left()).link().output.writer().isRead());
    pair.b.reposting(false);
    fill(pair, 4000, MANY);
    for (int i = 0; i < MANY; i++) {
      pair.poll();
    }
    assertTrue(((ShmEndpoint) pair.right()).incoming.holds() && pair.left().outstanding() > 0, "b does not stand still");
    for (int i = 0; i < 3; i++) {
      pair.a.poll();
      assertTrue(pair.a.queue().arm());
      pair.b.poll();
    }
    assertFalse(readable());
  }

  private static void fallAsleep(Side side) {
    Await.until("it sleeps", () -> side.queue().arm() && !readable(side), side::poll, side::toString);
  }

  @Test
  void sendReleasedByAnswerWakesThePeer() {
    MemoryRegion mine = pair.a.openRegion(64);
    try (Arena arena = Arena.ofShared();
      MemoryRegion theirs = pair.b.domain().register(arena.allocate(64, 8), Set.of(Access.REMOTE_READ))) {
      RemoteMemory remote = pair.a.remote(theirs);
      assertEquals(Status.OK, pair.left().post(new WorkRequest().read(mine, 0, 64, remote, 0).id(1).flags(PostFlags.SIGNALED)));
      assertEquals(Status.OK, pair.left().post(new WorkRequest().send(mine, 0, 64).id(2).flags(PostFlags.SIGNALED | PostFlags.FENCE)));
      pair.b.poll();
      fallAsleep(pair.b);
      assertTrue(pair.b.messages.isEmpty(), "it did not wait for the read");
      pair.a.poll();
      assertTrue(readable(pair.b));
      pair.message(pair.b);
    }
  }

  @Test
  void sendReleasedByDisconnectWakesThePeer() {
    try (Pair other = Pair.connected(ShmDeviceTest.device(), new PairOptions().withSlots(16, 20_000))) {
      int sent = fill(other, 20_000, 100);
      Await.until("b has read them", () -> other.b.messages.size() == sent, other.b::poll, other.b::toString);
      fallAsleep(other.b);
      other.left().disconnect();
      assertTrue(other.left().outstanding() > 0, "all of them found room");
      assertTrue(readable(other.b));
    }
  }
}
