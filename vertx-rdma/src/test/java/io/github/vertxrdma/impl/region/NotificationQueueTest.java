package io.github.vertxrdma.impl.region;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.RegionNotification;
import io.github.vertxrdma.RegionNotification.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Notifications that come before there is a handler: so many wait, the others are lost, and the log says so once. */
class NotificationQueueTest {
  private static final int CAPACITY = 1024;

  private final Logger log = Logger.getLogger(NotificationQueue.class.getName());
  private final List<String> told = new ArrayList<>();
  private final Handler listener = new Handler() {
    @Override
    public void publish(LogRecord line) {
      told.add(line.getMessage());
    }

    @Override
    public void flush() {
    }

    @Override
    public void close() {
    }
  };
  private final NotificationQueue queue = new NotificationQueue(Caller.DIRECT);
  private final List<Long> heard = new ArrayList<>();

  @BeforeEach
  void listen() {
    log.addHandler(listener);
    log.setUseParentHandlers(false);
  }

  @AfterEach
  void stop() {
    log.removeHandler(listener);
    log.setUseParentHandlers(true);
  }

  private void add(long from, long to) {
    LongStream.range(from, to).forEach(tag -> queue.add(new RegionNotification(Kind.WRITTEN, 0, 8, tag, "writer")));
  }

  private void hear() {
    queue.handler(notification -> heard.add(notification.tag()));
  }

  private static List<Long> tags(long to) {
    return LongStream.range(0, to).boxed().toList();
  }

  @Test
  void theFirstWaitInTheirOrder() {
    add(0, CAPACITY);
    hear();
    add(CAPACITY, CAPACITY + 3);
    assertEquals(tags(CAPACITY + 3), heard);
    assertEquals(List.of(), told);
  }

  @Test
  void thoseBeyondAreLostAndToldOnce() {
    add(0, CAPACITY + 100);
    hear();
    assertEquals(tags(CAPACITY), heard);
    assertEquals(List.of("Notifications of node 'writer' are dropped: 1024 came and the region has no handler"), told);
    add(CAPACITY, CAPACITY + 1);
    assertEquals(tags(CAPACITY + 1), heard);
  }

  @Test
  void nothingWaitsOnceAHandlerWasTakenAway() {
    hear();
    add(0, 1);
    queue.handler(null);
    add(1, 2);
    hear();
    assertEquals(tags(1), heard);
    assertEquals(List.of(), told);
  }
}
