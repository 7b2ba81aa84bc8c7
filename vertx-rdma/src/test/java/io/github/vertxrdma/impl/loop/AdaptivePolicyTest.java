package io.github.vertxrdma.impl.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class AdaptivePolicyTest {

  @Test
  void halfOfSeveralProcessorsPollAndTheOneThatAProcessWasGiven() {
    assertEquals(4, AdaptivePolicy.mayPoll(8, 8));
    assertEquals(1, AdaptivePolicy.mayPoll(2, 2));
    assertEquals(1, AdaptivePolicy.mayPoll(1, 2));
    assertEquals(0, AdaptivePolicy.mayPoll(1, 1));
  }

  private static final long ROUND = 20_000;

  private final AdaptivePolicy policy = new AdaptivePolicy(new AtomicInteger());
  private long now = 1_000_000_000;

  /** A turn that ends with a completion after some microseconds. @return whether it polled */
  private boolean round(long gap) {
    now += ROUND;
    if (!policy.begin(now, false)) {
      return false;
    }
    now += gap;
    policy.proceed(now);
    policy.end(true, now);
    return true;
  }

  private void warm() {
    for (int i = 0; i < 20; i++) {
      round(1_000);
    }
    assumeTrue(round(1_000), "a single processor");
  }

  @Test
  void stopsWhereOthersWantTheCore() {
    warm();
    int polled = 0;
    long begin = now;
    while (now - begin < 100_000_000) {
      polled += round(60_000) ? 1 : 0;
    }
    // Some tries after each pause of 5, 10, 20 and 40 ms; of some 1,250 if it had gone on.
    assertTrue(polled >= 2 && polled < 30, polled + " rounds");
  }

  @Test
  void aTimeSliceThatIsLostStopsItForAWhile() {
    warm();
    assumeTrue(round(3_000_000), "a single processor");
    assertFalse(policy.begin(now + ROUND, true));
    now += 5_000_000;
    assumeTrue(policy.begin(now + ROUND, true), "a single processor");
    policy.end(true, now + ROUND);
  }

  @Test
  void goesOnWhereTheCoreIsLostNowAndThen() {
    warm();
    int polled = 0;
    for (int i = 0; i < 1000; i++) {
      polled += round(i % 20 == 19 ? 60_000 : 1_000) ? 1 : 0;
    }
    assertTrue(polled > 900, polled + " rounds of 1000");
  }

  @Test
  void completionsWhileItPollsBeginTheWaitAnew() {
    warm();
    now += ROUND;
    assumeTrue(policy.begin(now, false), "a single processor");
    for (int i = 0; i < 100; i++) {
      now += 30_000;
      assertTrue(policy.proceed(now), "wait " + i);
      // A handler may take longer than others may have the core.
      now += 60_000;
      policy.again(now, false);
    }
    now += 30_000;
    assertTrue(policy.proceed(now));
    now += 30_000;
    assertFalse(policy.proceed(now));
    policy.end(false, now);
    assertTrue(round(1_000), "its streak ended with the last wait");
  }

  @Test
  void completionsWhileItPollsMakeUpForALostCore() {
    warm();
    for (int i = 0; i < 40; i++) {
      assertTrue(round(60_000), "round " + i);
      now += ROUND;
      assertTrue(policy.begin(now, false));
      for (int found = 0; found < 16; found++) {
        now += 1_000;
        policy.again(now, false);
      }
      policy.end(true, now);
    }
  }

  @Test
  void pollsAtOnceAndLongerForOperationsOfItsOwn() {
    now += 10_000_000;
    assertFalse(policy.begin(now, false));
    now += 10_000_000;
    assumeTrue(policy.begin(now, true), "a single processor");
    long begin = now;
    while (policy.proceed(now)) {
      now += 10_000;
    }
    policy.end(true, now);
    assertTrue(now - begin > 100_000 && now - begin < 1_000_000, now - begin + " ns");
  }

  @Test
  void operationsOfItsOwnThatTakeLongArePolledForNowAndThen() {
    assumeTrue(policy.begin(now, true), "a single processor");
    pollInVain();
    int polled = 0;
    for (int i = 0; i < 1000; i++) {
      now += 1_000_000;
      if (policy.begin(now, true)) {
        polled++;
        pollInVain();
      }
    }
    // Four tries after each pause, which ends up at a second.
    assertTrue(polled > 4 && polled < 50, polled + " of 1000");
  }

  private void pollInVain() {
    while (policy.proceed(now)) {
      now += 10_000;
    }
    policy.end(false, now);
  }

  @Test
  void triesThatSocketsCutShortCountByTheirTime() {
    warm();
    long polled = 0;
    for (int i = 0; i < 200; i++) {
      now += 1_000;
      assertTrue(policy.begin(now, false), "try " + i);
      now += 1_000;
      polled += 1_000;
      policy.end(false, now);
      // What it polls for comes in time.
      if (polled % 20_000 == 0) {
        assertTrue(round(1_000), "round " + i);
      }
    }
    int more = 0;
    while (policy.begin(now += 1_000, false)) {
      more++;
      now += 1_000;
      policy.end(false, now);
    }
    assertTrue(more > 100 && more < 1_000, more + " tries of 1 µs in vain");
  }

  @Test
  void readsLinuxListsOfProcessors() {
    assertEquals(1, Processors.count("0\n"));
    assertEquals(2, Processors.count("0-1\n"));
    assertEquals(7, Processors.count("0-3,8,10-11"));
    assertTrue(Processors.online() >= 1);
  }
}
