package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionNotification.Kind;
import io.github.vertxrdma.provider.contract.LogLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NotificationQueueTest {
  private static final int CAPACITY = 1024;

  private final LogLines log = new LogLines(NotificationQueue.class);
  private final NotificationQueue queue = new NotificationQueue(DirectCaller.INSTANCE);
  private final List<Long> heard = new ArrayList<>();

  @AfterEach
  void stop() {
    log.close();
  }

  private void add(long from, long to) {
    LongStream.range(from, to).forEach(tag -> queue.add(new RegionNotification(null, Kind.WRITTEN, 0, 8, tag, "writer")));
  }

  private void hear() {
    queue.handler(notification -> heard.add(notification.tag()));
  }

  private static List<Long> tags(long to) {
    return LongStream.range(0, to).boxed().toList();
  }

  @Test
  void notificationsWaitInOrderForAHandler() {
    add(0, CAPACITY);
    hear();
    add(CAPACITY, CAPACITY + 3);
    assertEquals(tags(CAPACITY + 3), heard);
    assertEquals(List.of(), log.lines());
  }

  @Test
  void notificationsBeyondTheCapacityAreLostAndLoggedOnce() {
    add(0, CAPACITY + 100);
    hear();
    assertEquals(tags(CAPACITY), heard);
    assertEquals(List.of("Notifications of node 'writer' are dropped: 1024 are waiting, and the region has no notification "
      + "handler. Set one by MemoryRegion.notificationHandler"), log.lines());
    add(CAPACITY, CAPACITY + 1);
    assertEquals(tags(CAPACITY + 1), heard);
  }

  @Test
  void aHandlerThatIsSlowOnOneThreadHoldsUpNoOther() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch other = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    queue.handler(notification -> {
      if (notification.tag() == 0) {
        begun.countDown();
        try {
          goOn.await();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
        }
      } else {
        other.countDown();
      }
    });
    Thread slow = Thread.ofPlatform().start(() -> add(0, 1));
    assertTrue(begun.await(20, TimeUnit.SECONDS));
    Thread quick = Thread.ofPlatform().start(() -> add(1, 2));
    try {
      assertTrue(other.await(20, TimeUnit.SECONDS), "the other thread waits for the handler");
    } finally {
      goOn.countDown();
      slow.join();
      quick.join();
    }
  }

  @Test
  void nothingWaitsOnceAHandlerWasTakenAway() {
    hear();
    add(0, 1);
    queue.handler(null);
    add(1, 2);
    hear();
    assertEquals(tags(1), heard);
    assertEquals(List.of(), log.lines());
  }
}
