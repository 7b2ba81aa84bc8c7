package io.github.vertxrdma.impl.peers;

import static io.github.vertxrdma.impl.peers.SignsOfLife.LATE_MILLIS;
import static io.github.vertxrdma.impl.peers.SignsOfLife.SILENT_MILLIS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.impl.peers.SignsOfLife.Life;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Processes that tell only by touching a file that they live. */
class SignsOfLifeTest {
  private static final Path FILE = Path.of("a.node");
  private static final long START = 1_000_000;
  private static final long LOOK_MILLIS = LATE_MILLIS / 2;

  private final SignsOfLife signs = new SignsOfLife();
  private long millis;
  /** The wall clock. */
  private long clock = START;
  private long touched = START;

  private Life look(long later) {
    millis += later;
    clock += later;
    signs.look(TimeUnit.MILLISECONDS.toNanos(millis));
    return signs.judge(FILE, FileTime.fromMillis(touched), clock);
  }

  @Test
  void silenceIsDeath() {
    for (long waited = 0; waited <= SILENT_MILLIS; waited += LOOK_MILLIS) {
      assertEquals(Life.ALIVE, look(LOOK_MILLIS), waited + " ms");
    }
    assertEquals(Life.DEAD, look(LOOK_MILLIS));
  }

  @Test
  void whoTouchesItsFileLives() {
    for (int i = 0; i < 100; i++) {
      assertEquals(Life.ALIVE, look(LOOK_MILLIS));
      touched += i % 4 == 0 ? 1 : 0;
    }
  }

  @Test
  void aClockThatIsSetKillsNobody() {
    assertEquals(Life.ALIVE, look(LOOK_MILLIS));
    clock += TimeUnit.DAYS.toMillis(1);
    assertEquals(Life.ALIVE, look(LOOK_MILLIS));
    clock -= TimeUnit.DAYS.toMillis(2);
    assertEquals(Life.ALIVE, look(LOOK_MILLIS));
  }

  @Test
  void whoWasPausedJudgesNobodyByIt() {
    assertEquals(Life.ALIVE, look(LOOK_MILLIS));
    assertEquals(Life.ALIVE, look(TimeUnit.HOURS.toMillis(1)));
  }

  /** Entries of a dead process are not offered to those who come; living ones show it soon. */
  @Test
  void anOldFileIsBelievedOnceItIsTouched() {
    clock += SILENT_MILLIS;
    assertEquals(Life.UNKNOWN, look(LOOK_MILLIS));
    assertEquals(Life.UNKNOWN, look(LOOK_MILLIS));
    touched++;
    assertEquals(Life.ALIVE, look(LOOK_MILLIS));
  }

  @Test
  void anOldFileThatNobodyTouchesIsOfADeadProcess() {
    clock += SILENT_MILLIS;
    Life life = Life.UNKNOWN;
    for (long waited = 0; waited <= SILENT_MILLIS && life == Life.UNKNOWN; waited += LOOK_MILLIS) {
      life = look(LOOK_MILLIS);
    }
    assertEquals(Life.UNKNOWN, life);
    assertEquals(Life.DEAD, look(LOOK_MILLIS));
  }

  @Test
  void aFileThatWasRemovedIsForgotten() {
    for (long waited = 0; waited <= SILENT_MILLIS; waited += LOOK_MILLIS) {
      look(LOOK_MILLIS);
    }
    signs.retain(Set.of());
    assertEquals(Life.UNKNOWN, look(LOOK_MILLIS));
  }
}
