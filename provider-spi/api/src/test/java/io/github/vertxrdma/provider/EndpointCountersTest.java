package io.github.vertxrdma.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EndpointCountersTest {
  private final EndpointCounters counters = new EndpointCounters();

  @Test
  void everyOperationIncrementsItsCounter() {
    for (Operation operation : Operation.values()) {
      counters.succeeded(operation);
    }
    counters.failed();
    long[] expected = {2, 1, 2, 1, 2, 1, 1};
    for (Counter.Event event : Counter.Event.values()) {
      assertEquals(expected[event.ordinal()], counters.counter(event).read(), event.name());
    }
  }

  @Test
  void resetIsSeenByAllReaders() {
    Counter one = counters.counter(Counter.Event.SENDS);
    Counter other = counters.counter(Counter.Event.SENDS);
    counters.succeeded(Operation.SEND);
    one.reset();
    assertEquals(0, other.read());
    counters.succeeded(Operation.SEND_IMMEDIATE);
    assertEquals(1, one.read());
    assertEquals(1, other.read());
  }

  @Test
  void nothingIsLostThatSeveralThreadsCount() throws InterruptedException {
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> {
        for (int n = 0; n < 100_000; n++) {
          counters.succeededOnAnyThread(Operation.REMOTE_WRITE);
        }
      });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(400_000, counters.counter(Counter.Event.REMOTE_WRITES).read());
  }
}
