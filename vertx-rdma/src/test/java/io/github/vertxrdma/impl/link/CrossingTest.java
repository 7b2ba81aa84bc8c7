package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages between two event loops; the test is both. */
@Timeout(60)
class CrossingTest {
  private static final int MIB = 1 << 20;

  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private final List<Boolean> held = new ArrayList<>();
  private final Crossing crossing = new Crossing(tasks::add, held::add);

  private void run() {
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
  }

  @Test
  void thePeerIsHeldBackWhileTooMuchIsUnderWay() {
    for (int i = 0; i < 4; i++) {
      crossing.leaves(MIB);
    }
    assertEquals(List.of(true), held);
    crossing.leaves(MIB);
    crossing.arrives(MIB);
    crossing.arrives(MIB);
    run();
    assertEquals(List.of(true), held);
    crossing.arrives(MIB);
    crossing.arrives(MIB);
    run();
    assertEquals(List.of(true, false), held);
    crossing.arrives(MIB);
    run();
    assertEquals(List.of(true, false), held);
  }

  @Test
  void messagesWithoutBytesCountToo() {
    for (int i = 0; i < MIB; i++) {
      crossing.leaves(0);
    }
    assertEquals(List.of(true), held);
  }

  @Test
  void whatTheReaderWantsHoldsAsWell() {
    crossing.hold(true);
    crossing.leaves(5 * MIB);
    crossing.hold(false);
    assertEquals(List.of(true), held);
    crossing.hold(true);
    crossing.arrives(5 * MIB);
    run();
    assertEquals(List.of(true), held);
    crossing.hold(false);
    assertEquals(List.of(true, false), held);
  }
}
