package io.github.vertxrdma.impl.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadLimitTest {
  /** Message of the JDK about a refused thread. */
  private static final String REFUSED = "unable to create native thread: possibly out of memory or process/resource limits reached";
  private static final String REMEDY = "Raise the limit of threads with 'ulimit -u', TasksMax= of a systemd unit or --pids-limit of a"
    + " container.";

  private final List<Thread> threads = new ArrayList<>();

  private void check(int limit) {
    ThreadLimit.check("cannot start RDMA", "a node", ThreadLimit.NEEDED, task -> {
      Thread thread = new Thread(task) {
        @Override
        public void start() {
          if (threads.size() == limit) {
            throw new OutOfMemoryError(REFUSED);
          }
          super.start();
          threads.add(this);
        }
      };
      thread.setDaemon(true);
      return thread;
    });
  }

  @Test
  void checkFailsWithRemedyAndEndsItsThreadsIfOneDoesNotStart() {
    RdmaException failure = assertThrows(RdmaException.class, () -> check(5));
    assertEquals(RdmaException.Reason.LIMIT, failure.reason());
    assertEquals("cannot start RDMA: a node needs 12 threads, and only 5 can be started. " + REMEDY, failure.getMessage());
    assertEquals(5, threads.size());
    threads.forEach(thread -> assertFalse(thread.isAlive()));
  }

  @Test
  void checkEndsItsThreads() {
    check(Integer.MAX_VALUE);
    assertEquals(12, threads.size());
    threads.forEach(thread -> assertFalse(thread.isAlive()));
  }

  @Test
  void failureOfAThreadStartIsNamedAndThatOfMemoryIsKept() {
    RdmaException failure = assertInstanceOf(RdmaException.class, ThreadLimit.named(new OutOfMemoryError(REFUSED)));
    assertEquals(RdmaException.Reason.LIMIT, failure.reason());
    assertTrue(failure.getMessage().endsWith(REMEDY), failure::getMessage);
    Throwable memory = new OutOfMemoryError("Java heap space");
    assertSame(memory, ThreadLimit.named(memory));
  }

  @Test
  void remedyFollowsTextsOfRefusedThreadsAndProcessesOnly() {
    for (String refused : List.of("java.lang.OutOfMemoryError: " + REFUSED,
      "[0.05s][warning][os,thread] Failed to start thread \"GC Thread#0\" - pthread_create failed (EAGAIN) for attributes: guardsize: 0k",
      "Cannot run program \"/jdk/bin/java\": error=11, Resource temporarily unavailable",
      "Cannot run program \"/jdk/bin/java\": Exec failed, error: 11 (Resource temporarily unavailable)")) {
      assertEquals(". " + REMEDY, ThreadLimit.remedy(refused));
    }
    for (String other : List.of("", "java.lang.OutOfMemoryError: Java heap space", "Cannot run program \"x\": error=110, Timeout",
      "Cannot run program \"x\": error=2, No such file or directory")) {
      assertEquals("", ThreadLimit.remedy(other));
    }
  }
}
