package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlinesTest {

  /** A loop with virtual time. */
  private static final class Loop implements Deadlines.Timers {
    private record Timer(Runnable task, long at) {
    }

    /** Deadlines must survive the overflow of nanoseconds. */
    private long now = Long.MAX_VALUE - 1_000;
    private final List<Timer> timers = new ArrayList<>();
    private int timersSet;
    private int timersCancelled;
    private boolean refuses;
    private boolean outside;
    private boolean shuttingDown;
    private boolean terminated;

    @Override
    public Runnable schedule(Runnable task, long nanos) {
      if (refuses) {
        throw new RejectedExecutionException("planted");
      }
      assertTrue(nanos >= 0, "delay " + nanos);
      Timer timer = new Timer(task, now + nanos);
      timers.add(timer);
      assertTrue(timers.size() <= 2, "three timers");
      timersSet++;
      return () -> {
        timersCancelled++;
        assertTrue(timers.remove(timer), "a timer that fired was cancelled");
      };
    }

    @Override
    public boolean inLoop() {
      return !outside;
    }

    @Override
    public boolean isShuttingDown() {
      return shuttingDown;
    }

    @Override
    public boolean isTerminated() {
      return terminated;
    }

    void advance(long nanos) {
      long until = now + nanos;
      while (!timers.isEmpty() && next().at - until <= 0) {
        now = next().at - now > 0 ? next().at : now;
        fire();
      }
      now = until;
    }

    private Timer next() {
      return timers.stream().min((one, other) -> Long.signum(one.at - other.at)).orElseThrow();
    }

    void fire() {
      fire(next());
    }

    void fire(Timer timer) {
      timers.remove(timer);
      timer.task.run();
    }
  }

  private final Loop loop = new Loop();
  private final Deadlines deadlines = new Deadlines(() -> loop.now, loop);
  private final List<String> expired = new ArrayList<>();

  private Deadline named(String name) {
    return Deadline.of(() -> expired.add(name));
  }

  private Deadline set(String name, long nanos) {
    Deadline deadline = named(name);
    deadlines.set(deadline, nanos, TimeUnit.NANOSECONDS);
    return deadline;
  }

  @Test
  void noTimerIsSetWithoutDeadline() {
    assertEquals(0, loop.timersSet);
    deadlines.run();
    assertEquals(0, loop.timersSet);
  }

  @Test
  void timerOfCancelledDeadlineFiresOnceWithoutEffect() {
    Deadline deadline = set("a", 100);
    deadline.cancel();
    deadline.cancel();
    assertFalse(deadline.isSet());
    loop.advance(1_000);
    assertEquals(List.of(), expired);
    assertEquals(List.of(), loop.timers);
    assertEquals(1, loop.timersSet);
  }

  @Test
  void settingAndCancellingPerMessageSetsOneTimer() {
    Deadline request = named("request");
    for (int i = 0; i < 1_000; i++) {
      deadlines.set(request, 1_000_000, TimeUnit.NANOSECONDS);
      loop.advance(10);
      request.cancel();
    }
    assertEquals(1, loop.timersSet);
  }

  @Test
  void nearDeadlinesLeaveTimerOfFarDeadline() {
    set("far", 1_000_000);
    Deadline near = named("near");
    for (int i = 0; i < 1_000; i++) {
      deadlines.set(near, 100, TimeUnit.NANOSECONDS);
      loop.advance(100);
    }
    assertEquals(1_000, expired.size());
    assertEquals(1_001, loop.timersSet);
    assertEquals(0, loop.timersCancelled);
    loop.advance(1_000_000);
    assertEquals("far", expired.getLast());
    assertEquals(List.of(), loop.timers);
  }

  @Test
  void lastDeadlineCancelsTimerOfCancelledFarDeadline() {
    Deadline far = set("far", 1_000_000);
    set("near", 100);
    far.cancel();
    loop.advance(100);
    assertEquals(List.of("near"), expired);
    assertEquals(List.of(), loop.timers);
  }

  @Test
  void thirdTimerReplacesTheNearerOne() {
    set("late", 1_000);
    set("middle", 100);
    set("early", 10);
    assertEquals(1, loop.timersCancelled);
    loop.advance(1_000);
    assertEquals(List.of("early", "middle", "late"), expired);
    assertEquals(List.of(), loop.timers);
  }

  @Test
  void deadlinesExpireWhenTimersFireInTheWrongOrder() {
    set("late", 1_000);
    set("early", 10);
    loop.now += 1_000;
    loop.fire(loop.timers.getFirst());
    assertEquals(List.of("early", "late"), expired);
    set("next", 5);
    loop.advance(5);
    assertEquals(List.of("early", "late", "next"), expired);
    assertEquals(List.of(), loop.timers);
  }

  @Test
  void deadlineWhoseTimerIsRefusedIsNotSet() {
    set("late", 1_000);
    set("middle", 100);
    loop.refuses = true;
    Deadline early = named("early");
    assertThrows(RejectedExecutionException.class, () -> deadlines.set(early, 10, TimeUnit.NANOSECONDS));
    assertFalse(early.isSet());
    assertEquals(2, deadlines.size());
    loop.refuses = false;
    set("last", 10_000);
    loop.advance(10_000);
    assertEquals(List.of("middle", "late", "last"), expired);
  }

  @Test
  void callsOnAnotherThreadFail() {
    Deadline set = set("set", 10);
    Deadline other = named("other");
    loop.outside = true;
    assertThrows(IllegalStateException.class, () -> deadlines.set(other, 10, TimeUnit.NANOSECONDS));
    assertThrows(IllegalStateException.class, set::cancel);
    loop.shuttingDown = true;
    assertThrows(RejectedExecutionException.class, () -> deadlines.set(other, 10, TimeUnit.NANOSECONDS));
    assertThrows(RejectedExecutionException.class, set::cancel);
    assertFalse(other.isSet());
    assertTrue(set.isSet());
    other.cancel();
  }

  @Test
  void cancellingAfterTheLoopTerminatedHasNoEffectOnTheLoop() {
    Deadline set = set("set", 10);
    loop.outside = true;
    loop.shuttingDown = true;
    loop.terminated = true;
    set.cancel();
    assertFalse(set.isSet());
    Deadlines next = new Deadlines(() -> loop.now);
    next.set(set, 1, TimeUnit.NANOSECONDS);
    assertTrue(set.isSet());
  }

  @Test
  void deadlineThatSetsItselfWithoutDelayWaitsForTheNextRun() {
    int[] runs = {0};
    Deadline[] self = new Deadline[1];
    self[0] = Deadline.of(() -> {
      if (runs[0]++ < 10) {
        deadlines.set(self[0], 0, TimeUnit.NANOSECONDS);
      }
    });
    deadlines.set(self[0], -5, TimeUnit.SECONDS);
    loop.fire();
    assertEquals(1, runs[0]);
    assertEquals(1, loop.timers.size());
    loop.fire();
    assertEquals(2, runs[0]);
    loop.advance(0);
    assertEquals(11, runs[0]);
  }

  @Test
  void deadlineThatCancelsAnotherDueOneKeepsItFromExpiring() {
    Deadline[] second = new Deadline[1];
    deadlines.set(() -> second[0].cancel(), 10, TimeUnit.NANOSECONDS);
    second[0] = set("second", 10);
    set("third", 10);
    loop.advance(10);
    assertEquals(List.of("third"), expired);
  }

  @Test
  void deadlinesAfterOneThatThrowsExpire() {
    deadlines.set(() -> {
      throw new IllegalStateException("planted");
    }, 10, TimeUnit.NANOSECONDS);
    set("next", 10);
    assertThrows(IllegalStateException.class, () -> loop.advance(10));
    assertEquals(List.of(), expired);
    loop.advance(10);
    assertEquals(List.of("next"), expired);
    assertEquals(List.of(), loop.timers);
  }

  @Test
  void timerThatFiresEarlyIsSetAgain() {
    set("a", 100);
    loop.now += 60;
    loop.fire();
    assertEquals(List.of(), expired);
    loop.advance(40);
    assertEquals(List.of("a"), expired);
  }

  @Test
  void longestDelayDoesNotOverflow() {
    set("last", Long.MAX_VALUE);
    set("first", 1);
    loop.advance(1_000_000);
    assertEquals(List.of("first"), expired);
    assertTrue(deadlines.nanosToNext() > 0);
  }

  @Test
  void settingInAnotherLoopFails() {
    Deadline deadline = set("a", 10);
    Deadlines other = new Deadlines(() -> loop.now);
    assertThrows(IllegalStateException.class, () -> other.set(deadline, 1, TimeUnit.SECONDS));
    deadline.cancel();
    other.set(deadline, 1, TimeUnit.NANOSECONDS);
    assertEquals(1, other.nanosToNext());
  }

  @Test
  void deadlinesOfOwnerWithoutTimersExpireWhenRun() {
    Deadlines polled = new Deadlines(() -> loop.now);
    polled.set(named("a"), 10, TimeUnit.NANOSECONDS);
    polled.set(named("b"), 20, TimeUnit.NANOSECONDS);
    loop.now += 12;
    assertEquals(0, polled.nanosToNext());
    polled.run();
    assertEquals(List.of("a"), expired);
    assertEquals(8, polled.nanosToNext());
    assertEquals(0, loop.timersSet);
  }

  /** Compares the heap with a list that is searched. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void randomCallsDoAsListDoes(long seed) {
    record Expected(int number, long at, int order) {
    }
    Random random = new Random(seed);
    int count = 1 + random.nextInt(60);
    List<Expected> reference = new ArrayList<>();
    List<Integer> due = new ArrayList<>();
    List<Integer> actual = new ArrayList<>();
    Deadline[] all = new Deadline[count];
    for (int i = 0; i < count; i++) {
      int number = i;
      all[i] = Deadline.of(() -> actual.add(number));
    }
    for (int step = 0; step < 5_000; step++) {
      int number = random.nextInt(count);
      int kind = random.nextInt(10);
      if (kind < 5) {
        long nanos = random.nextInt(40);
        deadlines.set(all[number], nanos, TimeUnit.NANOSECONDS);
        reference.removeIf(one -> one.number == number);
        reference.add(new Expected(number, loop.now + nanos, step));
      } else if (kind < 8) {
        all[number].cancel();
        reference.removeIf(one -> one.number == number);
      } else {
        loop.advance(random.nextInt(15));
        reference.stream().filter(one -> one.at - loop.now <= 0)
          .sorted(Comparator.<Expected>comparingLong(one -> one.at - loop.now).thenComparingInt(one -> one.order))
          .forEach(one -> due.add(one.number));
        reference.removeIf(one -> one.at - loop.now <= 0);
        assertEquals(due, actual, "step " + step);
        due.clear();
        actual.clear();
      }
      assertEquals(reference.size(), deadlines.size());
      assertEquals(reference.stream().anyMatch(one -> one.number == number), all[number].isSet());
      assertTrue(deadlines.size() == 0 || !loop.timers.isEmpty(), "no timer though a deadline is set");
      assertEquals(reference.stream().mapToLong(one -> one.at - loop.now).min().orElse(Long.MAX_VALUE), deadlines.nanosToNext());
    }
  }
}
