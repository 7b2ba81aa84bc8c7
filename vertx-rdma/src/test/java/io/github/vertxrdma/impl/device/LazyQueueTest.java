package io.github.vertxrdma.impl.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LazyQueueTest {
  private final LazyQueue<Integer> queue = new LazyQueue<>();

  /** Grows and shrinks across the length up to which an array is kept. */
  @Test
  void behavesAsTheJdksDoes() {
    ArrayDeque<Integer> model = new ArrayDeque<>();
    Random random = new Random(7);
    for (int i = 0; i < 200_000; i++) {
      boolean growing = i / 3_000 % 2 == 0;
      switch (random.nextInt(20)) {
        case 0 -> {
          queue.addFirst(i);
          model.addFirst(i);
        }
        case 1 -> {
          Integer one = i - random.nextInt(100);
          assertEquals(model.remove(one), queue.remove(one));
        }
        case 2 -> {
          int rest = random.nextInt(30);
          assertEquals(model.removeIf(one -> one % 30 == rest), queue.removeIf(one -> one % 30 == rest));
        }
        default -> {
          if (random.nextInt(10) < (growing ? 6 : 3)) {
            queue.add(i);
            model.add(i);
          } else {
            assertEquals(model.poll(), queue.poll());
          }
        }
      }
      assertEquals(model.size(), queue.size());
      assertEquals(model.isEmpty(), queue.isEmpty());
      assertEquals(model.peek(), queue.peek());
      if (i % 1_000 == 0) {
        assertEquals(List.copyOf(model), List.copyOf(queue));
      }
    }
  }

  @Test
  void anEmptyOneHasNothing() {
    assertNull(queue.peek());
    assertNull(queue.poll());
    assertFalse(queue.remove(1));
    assertFalse(queue.iterator().hasNext());
    queue.add(1);
    queue.clear();
    assertNull(queue.poll());
    queue.addFirst(2);
    assertEquals(List.of(2), List.copyOf(queue));
  }
}
