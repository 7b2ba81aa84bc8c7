package io.github.vertxrdma.impl.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.impl.process.NumaNode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bounds of adaptive polling, in virtual time: it may not cost idle CPU time, a peer's core, or latency in a ping-pong. */
@Timeout(60)
class AdaptivePolicyTest {
  private static final long MICRO = 1_000;
  private static final long MILLI = 1_000_000;

  /** An event loop in virtual time. */
  private static final class Loop {
    private final long wakeUp;
    private final AtomicInteger runnable = new AtomicInteger(1);
    private final AtomicLong waited = new AtomicLong();
    private final AdaptivePolicy policy;
    private long polled;
    private int caught;

    Loop(long wakeUp) {
      this.wakeUp = wakeUp;
      WakeUpCost cost = new WakeUpCost();
      for (int i = 0; i < 8; i++) {
        cost.measured(wakeUp);
      }
      policy = new AdaptivePolicy(cost, task -> {}, new Contention(runnable::get, waited::get, 2), new AtomicInteger(), 1);
    }

    /** Waits from a time until an arrival. @return time at which the loop has the completion */
    long receive(long from, long arrival) {
      return receive(from, arrival, false);
    }

    long receive(long from, long arrival, boolean expecting) {
      if (policy.begin(from, expecting)) {
        long now = from;
        while (now < arrival && policy.proceed(now)) {
          now += MICRO;
        }
        polled += now - from;
        boolean found = now >= arrival;
        policy.end(found, now);
        if (found) {
          caught++;
          return arrival;
        }
      }
      policy.sleeps(from);
      policy.woke(true, arrival + wakeUp);
      return arrival + wakeUp;
    }

    /** Loses the core while it polls; afterwards completions arrive soon for some time. @return whether it polled */
    boolean loses(long now, long nanos) {
      return loses(now, nanos, nanos);
    }

    /** @param waiting nanoseconds of the lost time in which the scheduler let this loop wait for a core */
    boolean loses(long now, long nanos, long waiting) {
      boolean polls = policy.begin(now, true);
      if (polls) {
        waited.addAndGet(waiting);
        policy.proceed(now + nanos);
        policy.end(false, now + nanos);
        policy.woke(true, now + nanos);
      }
      for (long time = now + nanos; time < now + nanos + 800 * MICRO; time += 100 * MICRO) {
        receive(time, time + 20 * MICRO, true);
      }
      return polls;
    }
  }

  /** Runs a ping-pong of two loops with a core each. @return time at which the last round ends */
  private static long pingPong(Loop a, Loop b, int rounds, long work, long start) {
    long now = start;
    long idleOfB = start;
    for (int i = 0; i < rounds; i++) {
      long sent = now;
      long answered = b.receive(idleOfB, sent) + work;
      idleOfB = answered;
      now = a.receive(sent, answered) + work;
    }
    return now;
  }

  @ParameterizedTest(name = "a wake-up of {0} µs, {1} µs of work, apart at first: {2}")
  @CsvSource({"5,1,false", "20,1,false", "20,10,false", "50,1,false", "50,10,false", "50,30,false", "100,1,false", "100,20,false",
    "150,40,false",
    "50,1,true", "50,30,true", "100,20,true"})
  void loopsInAPingPongPoll(long wakeUp, long work, boolean oneIsAhead) {
    Loop a = new Loop(wakeUp * MICRO);
    Loop b = new Loop(wakeUp * MICRO);
    if (oneIsAhead) {
      for (int i = 0; i < 100; i++) {
        a.receive(i * 10 * MICRO, i * 10 * MICRO + MICRO);
      }
    }
    long now = pingPong(a, b, 1_000, work * MICRO, MILLI);
    long end = pingPong(a, b, 1_000, work * MICRO, now);
    long most = 1_000 * (2 * work + 2) * MICRO;
    assertTrue(end - now <= most, "1000 rounds took " + (end - now) + " instead of " + most + " ns");
  }

  @ParameterizedTest
  @ValueSource(longs = {300, 1_000, 10_000, 1_000_000})
  void loopWithRareTrafficDoesNotPoll(long gap) {
    Loop a = new Loop(50 * MICRO);
    pingPong(a, new Loop(50 * MICRO), 1_000, MICRO, 0);
    long now = 1_000 * MILLI;
    for (int i = 0; i < 10; i++) {
      now = a.receive(now, now + gap * MICRO);
    }
    a.polled = 0;
    for (int i = 0; i < 1_000; i++) {
      now = a.receive(now, now + gap * MICRO);
    }
    assertEquals(0, a.polled);
  }

  @Test
  void pollingInVainIsBoundedByTheCostOfAWakeUp() {
    Loop a = new Loop(50 * MICRO);
    // Each completion arrives shortly after the loop stops to poll.
    long now = MILLI;
    for (int i = 0; i < 10_000; i++) {
      now = a.receive(now, now + 70 * MICRO);
    }
    assertTrue(a.caught > 100 && a.caught < 200, "polls that found a completion: " + a.caught);
    assertTrue(a.polled < 10_000 * 50 * MICRO / 2, "nanoseconds polled in vain: " + a.polled);
  }

  @Test
  void loopThatSharesACoreWithItsPeerSleeps() {
    Loop a = new Loop(50 * MICRO);
    long now = MILLI;
    long plain = 0;
    for (int i = 0; i < 10_000; i++) {
      // The peer runs only while this loop sleeps.
      long polled = a.polled;
      long begun = now;
      if (a.policy.begin(now, false)) {
        while (a.policy.proceed(now)) {
          now += MICRO;
        }
        a.policy.end(false, now);
        a.polled += now - begun;
      }
      now += 60 * MICRO;
      plain += 60 * MICRO;
      a.policy.woke(true, now);
      assertTrue(a.polled - polled <= 130 * MICRO);
    }
    assertTrue(now - MILLI < plain * 1.1, now - MILLI + " instead of " + plain);
  }

  @Test
  void loopThatLosesItsCoreStopsPollingUntilCoresAreFree() {
    Loop a = new Loop(50 * MICRO);
    long now = MILLI;
    a.runnable.set(3);
    assertFalse(a.policy.sleepsAtOnce());
    assertTrue(a.loses(now, 3 * MILLI));
    for (int i = 0; i < 100; i++) {
      now += 20 * MILLI;
      assertFalse(a.loses(now, 0), "polls although two other threads want the cores");
      assertTrue(a.policy.sleepsAtOnce());
    }
    // The peer is runnable while it answers.
    a.runnable.set(2);
    int rounds = 0;
    while (rounds < 10 && !a.loses(now += 10 * MILLI, 0)) {
      rounds++;
    }
    assertTrue(rounds < 10, rounds + " looks");
    assertFalse(a.policy.sleepsAtOnce());
  }

  /** A loop that polls for short times never loses its core, but some of its wake-ups wait for a time slice. */
  @Test
  void loopWhoseWakeUpsWaitForACoreStopsPolling() {
    Loop a = new Loop(50 * MICRO);
    Loop b = new Loop(50 * MICRO);
    a.runnable.set(3);
    long now = pingPong(a, b, 1_000, MICRO, MILLI);
    assertTrue(a.caught > 900, "polls that found a completion while cores were free: " + a.caught);
    for (int i = 0; i < 20; i++) {
      a.waited.addAndGet(3 * MILLI);
      now = pingPong(a, b, 100, 30 * MICRO, now);
    }
    a.polled = 0;
    now = pingPong(a, b, 1_000, 30 * MICRO, now);
    assertEquals(0, a.polled);
    a.runnable.set(2);
    now = pingPong(a, b, 10_000, 10 * MICRO, now + 1_000 * MILLI);
    a.caught = 0;
    pingPong(a, b, 1_000, 10 * MICRO, now);
    assertTrue(a.caught > 900, "polls that found a completion afterwards: " + a.caught);
  }

  @Test
  void atMostTheGivenNumberOfLoopsPollAtOnce() {
    AtomicInteger polling = new AtomicInteger();
    AdaptivePolicy[] three = new AdaptivePolicy[3];
    for (int i = 0; i < three.length; i++) {
      three[i] = new AdaptivePolicy(new WakeUpCost(), task -> {}, new Contention(() -> 1, () -> 0, 4), polling, 2);
    }
    assertTrue(three[0].begin(MILLI, true));
    assertTrue(three[1].begin(MILLI, true));
    assertFalse(three[2].begin(MILLI, true));
    three[0].end(false, 2 * MILLI);
    assertTrue(three[2].begin(3 * MILLI, true));
  }

  @Test
  void loopNeverPollsWhenTheMachineHasOneProcessor() {
    assertEquals(0, AdaptivePolicy.mayPoll(1, 1));
    AdaptivePolicy policy = new AdaptivePolicy(new WakeUpCost(), task -> {}, new Contention(() -> 1, () -> 0, 1), new AtomicInteger(),
      AdaptivePolicy.mayPoll(1, 1));
    assertFalse(policy.begin(MILLI, true));
    assertTrue(policy.sleepsAtOnce());
  }

  @Test
  void someLoopsPollButNotOnAllProcessorsOfTheProcess() {
    for (int own = 2; own <= 64; own++) {
      int polling = AdaptivePolicy.mayPoll(own, own);
      assertTrue(polling > 0 && polling < own, polling + " of " + own);
    }
    // The peers of a process that may use one processor run on the others.
    assertEquals(1, AdaptivePolicy.mayPoll(1, 2));
  }

  /** Without /proc/loadavg the number of runnable threads is -1. */
  @Test
  void pauseDoublesUpToABoundWhenRunnableThreadsAreUnknown() {
    Loop a = new Loop(50 * MICRO);
    a.runnable.set(-1);
    long step = 5 * MILLI;
    List<Long> pauses = new ArrayList<>();
    long before = -1;
    for (long now = MILLI; now < 10_000 * MILLI; now += step) {
      if (a.loses(now, 3 * MILLI)) {
        if (before >= 0) {
          pauses.add(now - before);
        }
        before = now;
      }
    }
    // The loop is asked every 5 ms, and looks every 10 ms.
    long tolerance = 3 * step;
    for (int i = 1; i < pauses.size(); i++) {
      long previous = pauses.get(i - 1);
      assertTrue(pauses.get(i) >= previous - tolerance && pauses.get(i) <= 2 * previous + tolerance, pauses.toString());
    }
    assertTrue(pauses.getLast() > 8 * pauses.getFirst(), pauses.toString());
    assertTrue(pauses.getLast() <= pauses.get(pauses.size() - 2) + tolerance, pauses.toString());
  }

  /** For example, the host of a virtual machine takes the core, or the JVM stops at a safepoint. */
  @Test
  void loopKeepsPollingWhenNoOtherThreadHadItsCore() {
    Loop a = new Loop(50 * MICRO);
    a.runnable.set(9);
    for (long now = MILLI; now < 1_000 * MILLI; now += 5 * MILLI) {
      assertTrue(a.loses(now, 3 * MILLI, 20 * MICRO), "after " + now);
    }
  }

  /** No event wakes the loop for these completions, and the peer may have to wake up first. */
  @Test
  void unannouncedCompletionsArePolledLongerThanAWakeUpUnlessTheyAreSlow() {
    Loop a = new Loop(20 * MICRO);
    long now = MILLI;
    for (int i = 0; i < 100; i++) {
      now = a.receive(now, now + 100 * MICRO, true);
    }
    assertEquals(100, a.caught);
    a.polled = 0;
    long start = now;
    for (int i = 0; i < 1_000; i++) {
      now = a.receive(now, now + MILLI, true);
    }
    assertTrue(a.polled < (now - start) / 100, "nanoseconds polled for slow completions: " + a.polled);
  }

  @Test
  void processorListOfLinuxIsParsed() {
    assertEquals(1, NumaNode.processors("0\n").cardinality());
    assertEquals(2, NumaNode.processors("0-1\n").cardinality());
    assertEquals(7, NumaNode.processors("0-3,8,10-11").cardinality());
    assertTrue(Processors.online() >= 1);
  }

  @ParameterizedTest
  @CsvSource({"3,0.20 0.18 0.12 2/80 11206,2", "3,10.20 0.18 0.12 120/1080 11206,120", "3,nonsense,-1", "3,'',-1", "3,0.20 0.18 0.12 ,-1",
    "1,1066203 34017 12,34017", "1,'1066203 0 12\n',0", "1,1066203,-1", "1,1066203 340,-1"})
  void numberInAProcLineIsParsed(int word, String line, long number) {
    byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
    assertEquals(number, ProcLine.number(bytes, bytes.length, word));
  }
}
