package io.github.vertxrdma.provider.software;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EntryRingTest {
  private int made;
  private final EntryRing<long[]> ring = new EntryRing<>(() -> {
    made++;
    return new long[1];
  });

  private void add(long value) {
    ring.next()[0] = value;
    ring.add();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4, 5, 64, 100})
  void entriesAreAsManyAsWereThereAtOnce(int atOnce) {
    for (int value = 0; value < 1_000; value++) {
      add(value);
      if (ring.size() == atOnce) {
        ring.remove();
      }
    }
    assertTrue(made <= Math.max(4, 2 * atOnce), made + " entries");
  }

  @Test
  void numbersStayAsItGrowsAtAnyMoment() {
    Random random = new Random(7);
    ArrayDeque<Long> model = new ArrayDeque<>();
    for (long value = 0; value < 10_000;) {
      if (random.nextInt(5) > 1) {
        assertEquals(value, ring.tail());
        add(value++);
        model.add(value - 1);
      } else if (!model.isEmpty()) {
        assertEquals(model.poll(), ring.first()[0]);
        ring.remove();
      }
      assertEquals(model.size(), ring.size());
      assertEquals(model.isEmpty(), ring.isEmpty());
      if (!model.isEmpty()) {
        assertEquals(model.peek(), ring.head());
        long number = ring.head() + random.nextInt(ring.size());
        assertEquals(number, ring.get(number)[0]);
      }
    }
  }

  @Test
  void takenEntryIsNotFilledAgain() {
    for (long value = 0; value < 10; value++) {
      add(value);
      long[] taken = ring.take();
      assertEquals(value, taken[0]);
      assertNotSame(taken, ring.next());
      assertTrue(ring.isEmpty());
    }
  }

  @Test
  void entryThatWasNotAddedIsFilledAgain() {
    long[] next = ring.next();
    assertSame(next, ring.next());
    assertEquals(0, ring.size());
  }
}
