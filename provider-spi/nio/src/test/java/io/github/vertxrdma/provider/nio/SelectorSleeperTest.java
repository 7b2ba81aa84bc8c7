package io.github.vertxrdma.provider.nio;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.contract.Await;
import java.nio.channels.Selector;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SelectorSleeperTest {
  @Test
  void armFailsWithoutAThreadAndSucceedsLater() throws Exception {
    AtomicBoolean refuses = new AtomicBoolean(true);
    CountDownLatch called = new CountDownLatch(1);
    SelectorSleeper sleeper = new SelectorSleeper(Selector.open(), task -> new Thread(task) {
      @Override
      public void start() {
        if (refuses.get()) {
          throw new OutOfMemoryError("unable to create native thread");
        }
        super.start();
      }
    });
    sleeper.handler(called::countDown);
    try {
      assertFalse(sleeper.arm(1));
      refuses.set(false);
      Await.until("the thread starts", () -> sleeper.arm(1));
      assertTrue(called.await(30, TimeUnit.SECONDS), "the handler was not called");
    } finally {
      sleeper.close();
    }
  }
}
