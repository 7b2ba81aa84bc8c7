package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LongWaitTest {
  private final List<String> log = new ArrayList<>();
  private final AtomicReference<String> awaited = new AtomicReference<>("its host");
  private Runnable due;
  private boolean cancelled;

  private LongWait start() {
    return new LongWait((millis, task) -> {
      assertEquals(5_000, millis);
      due = task;
      return () -> cancelled = true;
    }, log::add, "The start", awaited::get);
  }

  @Test
  void waitIsLoggedWithWhatItIsForAtThatTime() {
    start();
    awaited.set("the directory");
    due.run();
    assertEquals(List.of("The start has waited for the directory for 5000 ms, and continues to wait"), log);
  }

  @Test
  void endedWaitIsNotLogged() {
    start().end();
    assertTrue(cancelled);
    due.run();
    assertEquals(List.of(), log);
  }
}
