package io.github.vertxrdma.base;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HostLookupTest {
  private final CountDownLatch answer = new CountDownLatch(1);
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger late = new AtomicInteger();
  private final HostLookup names = new HostLookup(host -> {
    asked.incrementAndGet();
    if (host.equals("unknown")) {
      throw new UnknownHostException(host);
    }
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return InetAddress.ofLiteral("192.0.2.1");
  });

  @Test
  void hostIsFoundWhenNameServerAnswers() throws Exception {
    answer.countDown();
    assertEquals(InetAddress.ofLiteral("192.0.2.1"), names.find("orders", 30_000, late::incrementAndGet));
    assertEquals(0, late.get());
  }

  @Test
  void lookupFailsWhenNameServerDoesNotAnswerInTime() {
    UnknownHostException failure = assertThrows(UnknownHostException.class, () -> names.find("orders", 1_001, late::incrementAndGet));
    assertEquals("no name server answered within 1001 ms", failure.getMessage());
    assertEquals(1, late.get());
    answer.countDown();
  }

  @Test
  void secondLookupOfNameWaitsForFirst() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThrows(UnknownHostException.class, () -> names.find("orders", 100));
    }
    while (asked.get() == 0) {
      Thread.onSpinWait();
    }
    assertEquals(1, asked.get());
    answer.countDown();
    assertEquals(InetAddress.ofLiteral("192.0.2.1"), names.find("orders", 30_000));
  }

  @Test
  void lookupOfUnknownHostFails() {
    UnknownHostException failure = assertThrows(UnknownHostException.class, () -> names.find("unknown", 30_000));
    assertEquals("there is no host of that name", failure.getMessage());
  }
}
