package io.github.vertxrdma.impl.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.Deadlines;
import io.github.vertxrdma.impl.link.LargeMessages.Claim;
import io.github.vertxrdma.impl.poll.Scheduler;
import io.github.vertxrdma.impl.support.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LargeMessagesTest {
  private static final int MIB = 1 << 20;

  private final LargeMessages large = new LargeMessages(100 * MIB);
  private final List<String> admitted = new ArrayList<>();

  private final List<Loop> loops = new ArrayList<>();
  private final List<String> stalled = new ArrayList<>();
  private final List<Backpressure> readers = new ArrayList<>();
  private long seconds;

  private final class Loop implements Scheduler {
    private record Timer(long at, Runnable task) {
    }

    private final List<Timer> timers = new ArrayList<>();
    private final List<Runnable> tasks = new ArrayList<>();
    private boolean blocked;
    private boolean terminated;

    @Override
    public long nanoTime() {
      return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Override
    public void execute(Runnable task) {
      if (terminated) {
        throw new RejectedExecutionException();
      }
      tasks.add(task);
    }

    @Override
    public Deadline schedule(Runnable task, long millis, TimeUnit unit) {
      timers.add(new Timer(seconds + unit.toSeconds(millis), task));
      return null;
    }

    void run() {
      while (!blocked && !tasks.isEmpty()) {
        tasks.removeFirst().run();
      }
      for (Timer timer : List.copyOf(timers)) {
        if (!blocked && timer.at <= seconds) {
          timers.remove(timer);
          timer.task.run();
        }
      }
    }

    @Override
    public boolean inLoop() {
      return true;
    }

    @Override
    public Deadlines deadlines() {
      throw new UnsupportedOperationException();
    }

    @Override
    public RandomGenerator random() {
      throw new UnsupportedOperationException();
    }
  }

  /** Makes a claim on a loop of its own. */
  private Claim claim(String source, int size) {
    loops.add(new Loop());
    return large.claim(source, size * MIB, loops.getLast(), new LargeMessages.Owner() {
      @Override
      public void admitted() {
        admitted.add(source + size);
      }

      @Override
      public void stalled() {
        stalled.add(source + size);
      }
    });
  }

  private void pass(int more) {
    for (int i = 0; i < more; i++) {
      seconds++;
      loops.forEach(Loop::run);
    }
  }

  private List<String> admitted() {
    loops.forEach(Loop::run);
    return admitted;
  }

  @Test
  void sourceLeavesRoomForOthers() {
    assertTrue(claim("a", 40).isAdmitted());
    Claim second = claim("a", 40);
    assertFalse(second.isAdmitted());
    Claim other = claim("b", 40);
    assertTrue(other.isAdmitted());
    other.close();
    assertEquals(List.of(), admitted());
    second.close();
    assertTrue(claim("a", 20).isAdmitted());
  }

  @Test
  void messageAboveTheLimitIsAdmittedAlone() {
    Claim large = claim("a", 150);
    assertTrue(large.isAdmitted());
    assertFalse(claim("b", 3).isAdmitted());
    large.close();
    assertEquals(List.of("b3"), admitted());
  }

  @Test
  void messageIsNotOvertaken() {
    Claim first = claim("a", 60);
    claim("b", 50);
    claim("c", 10);
    assertEquals(List.of(), admitted());
    first.close();
    assertEquals(List.of("b50", "c10"), admitted());
  }

  @Test
  void unreadMessagesDelayThoseOfTheirSource() {
    Backpressure reader = new Backpressure(Runnable::run, back -> {});
    reader.add(60 * MIB);
    large.unread("a", reader);
    Claim waiting = claim("a", 10);
    assertFalse(waiting.isAdmitted());
    assertTrue(claim("b", 10).isAdmitted());
    reader.remove(60 * MIB);
    large.taken();
    assertEquals(List.of("a10"), admitted());
  }

  @Test
  void messagesThatNoReaderCanTakeDelayNoOthers() {
    Backpressure reader = new Backpressure(Runnable::run, back -> {});
    reader.add(60 * MIB);
    large.unread("a", reader);
    Claim waiting = claim("a", 10);
    assertFalse(waiting.isAdmitted());
    reader = null;
    Await.until("the message is admitted", () -> {
      System.gc();
      large.taken();
      return waiting.isAdmitted();
    });
  }

  @Test
  void unreadMessagesOfManySourcesAreLimited() {
    for (int i = 0; i < 2; i++) {
      Backpressure reader = new Backpressure(Runnable::run, back -> {});
      reader.add(60 * MIB);
      large.unread("source " + i, reader);
      readers.add(reader);
    }
    assertFalse(claim("a", 10).isAdmitted());
    readers.getFirst().remove(60 * MIB);
    large.taken();
    assertEquals(List.of("a10"), admitted());
  }

  @Test
  void stalledMessageEndsIfOthersWait() {
    Claim first = claim("a", 60);
    pass(60);
    claim("b", 60);
    pass(3);
    assertEquals(List.of("a60"), stalled);
    first.close();
    pass(60);
    assertEquals(List.of("a60"), stalled);
  }

  @Test
  void messageThatMakesProgressDoesNotEnd() {
    Claim first = claim("a", 60);
    claim("b", 60);
    for (int i = 0; i < 10; i++) {
      pass(5);
      first.arrived(LargeMessages.STEP / 2 + 1);
    }
    assertEquals(List.of(), stalled);
    for (int i = 0; i < 10; i++) {
      pass(5);
      first.arrived(1);
    }
    assertEquals("a60", stalled.getFirst());
  }

  @Test
  void messageOfABlockedLoopEndsOnlyAfterItsLoopHasRead() {
    Claim first = claim("a", 60);
    claim("b", 60);
    loops.getFirst().blocked = true;
    pass(20);
    loops.getFirst().blocked = false;
    pass(1);
    first.arrived(LargeMessages.STEP);
    pass(5);
    assertEquals(List.of(), stalled);
  }

  @Test
  void messageOfATerminatedLoopDelaysNoOthers() {
    Claim first = claim("a", 60);
    claim("b", 60);
    loops.getLast().terminated = true;
    claim("c", 60);
    first.close();
    assertEquals(List.of("c60"), admitted());
  }
}
