package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test runs the tasks of both event loops. */
@Timeout(60)
class BackpressureTest {
  private static final int MIB = 1 << 20;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Boolean> held = new ArrayList<>();
  private final Backpressure backpressure = new Backpressure(tasks::add, held::add);

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
  }

  @Test
  void thePeerIsHeldBackWhileTooMuchIsUnderWay() {
    for (int i = 0; i < 4; i++) {
      backpressure.add(MIB);
    }
    assertEquals(List.of(true), held);
    backpressure.add(MIB);
    backpressure.remove(MIB);
    backpressure.remove(MIB);
    run();
    assertEquals(List.of(true), held);
    backpressure.remove(MIB);
    backpressure.remove(MIB);
    run();
    assertEquals(List.of(true, false), held);
    backpressure.remove(MIB);
    run();
    assertEquals(List.of(true, false), held);
  }

  @Test
  void messagesWithoutBytesCountToo() {
    for (int i = 0; i < MIB; i++) {
      backpressure.add(0);
    }
    assertEquals(List.of(true), held);
  }

  @Test
  void peerIsHeldWhileReaderPausesOrBytesWait() {
    backpressure.hold(true);
    backpressure.add(5 * MIB);
    backpressure.hold(false);
    assertEquals(List.of(true), held);
    backpressure.hold(true);
    backpressure.remove(5 * MIB);
    run();
    assertEquals(List.of(true), held);
    backpressure.hold(false);
    assertEquals(List.of(true, false), held);
  }
}
