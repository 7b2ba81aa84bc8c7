package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.provider.contract.Signals;
import io.github.vertxrdma.provider.contract.attack.Attacker;
import io.github.vertxrdma.provider.contract.attack.LoopThread;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Pauses and time limits of the games of {@link AttackGamesTest}. */
@Timeout(60)
class AttackHarnessTest {
  private static final long NANOS = 5_000_000;

  @TempDir
  Path task;

  private void thread(char state, long used) throws Exception {
    Files.writeString(task.resolve("stat"), "4711 (a ) R loop) " + state + " 1 2 3");
    Files.writeString(task.resolve("schedstat"), used + " 123456789 17\n");
  }

  @Test
  void loopPausesWhileItSleepsOrRuns() throws Exception {
    LoopThread loop = new LoopThread(task);
    thread('S', 1000);
    assertEquals(NANOS, loop.paused(NANOS));
    thread('D', 1000);
    assertEquals(NANOS, loop.paused(NANOS));
    thread('R', 2000);
    assertEquals(1000, loop.paused(NANOS));
    thread('R', 2000 + 2 * NANOS);
    assertEquals(NANOS, loop.paused(NANOS));
  }

  @Test
  void loopThatGetsNoProcessorDoesNotPause() throws Exception {
    LoopThread loop = new LoopThread(task);
    thread('S', 1000);
    loop.paused(NANOS);
    thread('R', 1000);
    assertEquals(0, loop.paused(NANOS));
  }

  @Test
  void loopPausesAllTheTimeIfTheKernelCountsNone() throws Exception {
    assertEquals(NANOS, new LoopThread(task).paused(NANOS));
    thread('R', 0);
    assertEquals(NANOS, new LoopThread(task).paused(NANOS));
  }

  @Test
  void stoppedAttackerIsKilled() throws Exception {
    try (Attacker attacker = Attacker.build()) {
      Process stopped = new ProcessBuilder("sleep", "60").start();
      Signals.send(stopped.pid(), "STOP");
      assertEquals(0, attacker.awaitEnd(stopped, Duration.ofMillis(1)));
      assertFalse(stopped.isAlive());
      Process killed = new ProcessBuilder("sh", "-c", "kill -KILL $$").start();
      assertThrows(AssertionError.class, () -> attacker.awaitEnd(killed, Duration.ofSeconds(30)));
    }
  }
}
