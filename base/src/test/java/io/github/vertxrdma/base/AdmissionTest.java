package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AdmissionTest {
  private static final int MOST = 6;
  private static final int MOST_OF_ONE = 3;
  private static final int WAITING = 4096;
  private static final int SMALL_STACK = 256 << 10;

  private final Admission<Integer> admission = new Admission<>(MOST, MOST_OF_ONE);
  private final List<Integer> entered = new ArrayList<>();

  /** Uses a source of its own for each peer. */
  private void fill() {
    for (int i = 0; i < MOST; i++) {
      assertTrue(admission.hasRoom("source " + i));
      assertNull(admission.add(i, "source " + i));
    }
    assertFalse(admission.hasRoom("another"));
  }

  @Test
  void fullSourceEvictsItsOldestPeer() {
    for (int i = 0; i < MOST_OF_ONE; i++) {
      assertNull(admission.add(i, "a"));
    }
    assertFalse(admission.hasRoom("a"));
    assertTrue(admission.hasRoom("b"));
    assertEquals(0, admission.add(10, "a"));
    admission.remove(0);
    assertEquals(1, admission.add(11, "a"));
  }

  @Test
  void fullAdmissionEvictsOldestPeerOfLargestSource() {
    assertNull(admission.add(0, "quiet"));
    for (int i = 1; i <= MOST_OF_ONE; i++) {
      assertNull(admission.add(i, "greedy"));
    }
    assertNull(admission.add(4, "other"));
    assertNull(admission.add(5, "other"));
    assertEquals(1, admission.add(6, "quiet"));
  }

  @Test
  void equalSourcesEvictOldestPeerOfTheNewPeersSource() {
    for (int i = 0; i < MOST_OF_ONE; i++) {
      admission.add(i, "a");
      admission.add(10 + i, "b");
    }
    assertEquals(0, admission.add(20, "a"));
    admission.remove(0);
    assertEquals(10, admission.add(21, "b"));
  }

  @Test
  void newestPeerIsNeverEvicted() {
    fill();
    for (int i = MOST; i < 100; i++) {
      int oldest = admission.add(i, "new source " + i);
      assertNotEquals(i, oldest);
      admission.remove(oldest);
    }
  }

  @Test
  void waitingPeerIsAdmittedWhenAnotherLeaves() {
    fill();
    assertNull(admission.await(10, "a", 2, entered::add));
    assertNull(admission.await(11, "a", 2, entered::add));
    assertEquals(10, admission.await(12, "a", 2, entered::add));
    admission.remove(0);
    admission.remove(0);
    assertEquals(List.of(11), entered);
    admission.close();
    admission.remove(1);
    assertEquals(List.of(11), entered);
  }

  @Test
  void peersOfOtherSourcesOvertakeAPeerWhoseSourceIsFull() {
    for (int i = 0; i < MOST_OF_ONE; i++) {
      admission.add(i, "a");
      admission.add(10 + i, "b");
    }
    admission.await(20, "a", WAITING, entered::add);
    admission.await(21, "b", WAITING, entered::add);
    admission.remove(10);
    assertEquals(List.of(21), entered);
  }

  @Test
  void sourcesAreServedInRotation() {
    fill();
    for (int i = 0; i < 3; i++) {
      admission.await(10 + i, "a", WAITING, entered::add);
    }
    admission.await(20, "b", WAITING, entered::add);
    admission.await(30, "c", WAITING, entered::add);
    for (int i = 0; i < 5; i++) {
      admission.remove(i);
    }
    assertEquals(List.of(10, 20, 30, 11, 12), entered);
  }

  @Test
  void oldestOfTheLargestWaitingSourceIsRefusedIfTooManyWait() {
    fill();
    admission.await(10, "a", 3, entered::add);
    admission.await(11, "a", 3, entered::add);
    admission.await(12, "a", 3, entered::add);
    assertEquals(10, admission.await(20, "b", 3, entered::add));
    assertEquals(11, admission.await(13, "a", 3, entered::add));
    assertEquals(12, admission.await(30, "c", 3, entered::add));
    assertEquals(13, admission.await(40, "d", 3, entered::add), "each source has one peer");
    assertEquals(20, admission.await(31, "c", 3, entered::add), "not the newest");
    for (int i = 0; i < MOST; i++) {
      admission.remove(i);
    }
    assertEquals(List.of(40, 30, 31), entered, "new sources are served first");
  }

  @Test
  void peerIsInTheWayIfItsRemovalAdmitsAnother() {
    for (int i = 0; i < MOST_OF_ONE; i++) {
      admission.add(i, "a");
    }
    admission.add(10, "b");
    assertNull(admission.oldestInTheWay(), "none waits");
    admission.await(20, "a", WAITING, entered::add);
    assertEquals(0, admission.oldestInTheWay(), "of the full source");
    admission.remove(0);
    assertEquals(List.of(20), entered);
    assertNull(admission.oldestInTheWay());
    admission.add(11, "b");
    admission.add(12, "b");
    admission.await(21, "b", WAITING, entered::add);
    assertEquals(10, admission.oldestInTheWay());
    admission.await(30, "c", WAITING, entered::add);
    assertEquals(1, admission.oldestInTheWay(), "any peer, as all places are taken");
  }

  /** Each peer that leaves admits the next on the same stack. */
  @Test
  void waitingPeersThatLeaveAreAdmittedOneByOne() throws InterruptedException {
    fill();
    for (int i = 0; i < WAITING; i++) {
      assertNull(admission.await(MOST + i, "a", WAITING, peer -> {
        entered.add(peer);
        admission.remove(peer);
      }));
    }
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread loop = new Thread(null, () -> admission.remove(0), "loop", SMALL_STACK);
    loop.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
    loop.start();
    loop.join();
    assertNull(failure.get());
    assertEquals(WAITING, entered.size());
    assertTrue(admission.hasRoom("a"), "a place is lost");
  }

  @Test
  void addressesOfOneIpv6NetworkAreOneSource() {
    byte[] first = new byte[16];
    byte[] second = new byte[16];
    second[15] = 1;
    assertEquals(Admission.source(first), Admission.source(second));
    second[7] = 1;
    assertNotEquals(Admission.source(first), Admission.source(second));
    assertNotEquals(Admission.source(new byte[] {10, 0, 0, 1}), Admission.source(new byte[] {10, 0, 0, 2}));
  }
}
