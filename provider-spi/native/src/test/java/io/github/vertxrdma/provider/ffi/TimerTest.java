package io.github.vertxrdma.provider.ffi;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
@EnabledOnOs(value = OS.LINUX, disabledReason = "timerfd_create(2) is Linux's")
class TimerTest {
  private static final long SOON = 1;
  private static final long EARLY = 50;
  private static final long LATE = 600_000;
  private final Timer timer = new Timer();
  private final Epoll epoll = new Epoll();
  private final long events = Memory.allocate(Epoll.EVENT);

  {
    epoll.add(timer.fd());
  }

  @AfterEach
  void close() {
    epoll.close();
    timer.close();
    Memory.free(events);
  }

  private int readable() {
    return epoll.ready(events, 1);
  }

  private void itFires() {
    while (readable() == 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void earlierTimeReplacesLaterOne() {
    timer.within(LATE);
    timer.within(SOON);
    itFires();
  }

  @Test
  void anEarlierTimeStays() {
    long begin;
    do {
      // A thread that was delayed until the time had passed proves nothing.
      begin = System.nanoTime();
      timer.within(EARLY);
      timer.within(LATE);
      timer.within(0);
    } while (System.nanoTime() - begin >= EARLY * 1_000_000);
    itFires();
  }

  @Test
  void expiredTimeMakesRoomForALaterOne() {
    timer.within(SOON);
    itFires();
    assertEquals(1, readable(), "until it is set again");
    timer.within(LATE);
    assertEquals(0, readable());
    timer.within(SOON);
    itFires();
  }

  @Test
  void noNotificationWithoutAWait() {
    timer.within(0);
    assertEquals(0, readable());
    timer.within(SOON);
    itFires();
    timer.within(0);
    assertEquals(0, readable());
    timer.within(SOON);
    itFires();
  }
}
