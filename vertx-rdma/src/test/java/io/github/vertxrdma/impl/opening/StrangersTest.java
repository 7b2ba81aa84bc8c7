package io.github.vertxrdma.impl.opening;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.EndpointAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Connectors that wait for their turn, and are refused as soon as they have it. */
class StrangersTest {
  private static final int SMALL_STACK = 256 << 10;

  private final Strangers strangers = new Strangers(() -> {});
  private final List<Strangers.Guest> inside = new ArrayList<>();
  private int addresses;

  private EndpointAddress address() {
    return EndpointAddress.of("stranger-" + addresses++);
  }

  private void fill() {
    for (int i = 0; i < Strangers.MOST; i++) {
      assertTrue(strangers.admit(address(), inside::add));
    }
  }

  /** One makes room for the next, as many as may wait, on the stack of an event loop. */
  @Test
  void thoseThatLeaveAtOnceHaveTheirTurnsOneAfterTheOther() throws InterruptedException {
    fill();
    int[] entered = new int[1];
    for (int i = 0; i < Strangers.WAITING; i++) {
      assertTrue(strangers.admit(address(), guest -> {
        entered[0]++;
        guest.leave();
      }));
    }
    assertFalse(strangers.admit(address(), inside::add));
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread loop = new Thread(null, () -> inside.removeFirst().leave(), "loop", SMALL_STACK);
    loop.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
    loop.start();
    loop.join();
    assertNull(failure.get());
    assertEquals(Strangers.WAITING, entered[0]);
    assertTrue(strangers.admit(address(), inside::add), "a place is lost");
    assertEquals(Strangers.MOST, inside.size());
  }

  @Test
  void oneThatLeavesLetsOneIn() {
    fill();
    assertTrue(strangers.admit(address(), inside::add));
    assertTrue(strangers.admit(address(), inside::add));
    assertEquals(Strangers.MOST, inside.size());
    inside.getFirst().leave();
    inside.getFirst().leave();
    assertEquals(Strangers.MOST + 1, inside.size());
  }
}
