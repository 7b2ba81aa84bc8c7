package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class VerbsThreadTest {
  private final List<Integer> destroyed = Collections.synchronizedList(new ArrayList<>());

  private static ThreadFactory after(int failures) {
    int[] left = {failures};
    return task -> {
      if (left[0]-- > 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
      return Thread.ofPlatform().daemon().unstarted(task);
    };
  }

  @Test
  void laterThreadRunsTasksThatHadNoThread() throws Exception {
    VerbsThread control = new VerbsThread(after(1));
    CountDownLatch done = new CountDownLatch(1);
    control.later(() -> destroyed.add(1));
    assertTrue(control.busy());
    assertEquals(List.of(), destroyed);
    control.later(() -> {
      destroyed.add(2);
      done.countDown();
    });
    done.await();
    assertEquals(List.of(1, 2), destroyed);
    control.await();
    assertFalse(control.busy());
  }

  @Test
  void callerRunsTheTaskWithoutAThread() {
    VerbsThread control = new VerbsThread(after(Integer.MAX_VALUE));
    control.later(() -> destroyed.add(1));
    control.later(() -> destroyed.add(2));
    control.await();
    assertEquals(List.of(1, 2), destroyed);
    assertFalse(control.busy());
  }

  @Test
  void failedTaskIsReportedAndDelaysNoOther() {
    AtomicReference<Throwable> told = new AtomicReference<>();
    IllegalStateException failure = new IllegalStateException("a test says so");
    VerbsThread control = new VerbsThread(
      Thread.ofPlatform().daemon().uncaughtExceptionHandler((thread, cause) -> told.set(cause)).factory());
    control.later(() -> {
      throw failure;
    });
    control.later(() -> destroyed.add(2));
    control.await();
    assertEquals(List.of(2), destroyed);
    assertEquals(failure, told.get());
  }
}
