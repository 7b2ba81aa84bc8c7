package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that wait for receives while their sender leaves: their sends were a success. */
@Timeout(60)
class GoodbyeTest {
  private static final int RECEIVES = 2;
  private static final int MESSAGES = 9;
  /** More than an endpoint keeps. */
  private static final int MANY = 100;

  private static Pair connected() {
    Pair pair = Pair.connected(Devices.require(new ShmProvider(), "shm"), new PairOptions().withTwoDomains().withSlots(RECEIVES, 64));
    pair.b.reposting(false);
    return pair;
  }

  private static void sendAndLeave(Pair pair, int messages) {
    for (int i = 0; i < messages; i++) {
      pair.a.send(pair.left(), new byte[8], 0);
    }
    pair.left().disconnect();
    pair.until("the first messages", () -> pair.b.messages.size() == RECEIVES && pair.a.disconnected.size() == 1);
  }

  private static void allArriveBeforeTheEnd(Pair pair, int messages) {
    for (int i = 0; i < 100; i++) {
      pair.poll();
    }
    assertTrue(pair.b.disconnected.isEmpty(), () -> pair.b.cause.getMessage());
    pair.b.reposting(true);
    pair.until("disconnected", () -> pair.b.disconnected.size() == 1);
    assertEquals(messages, pair.b.messages.size());
    assertTrue(pair.b.cause.getMessage().endsWith(" disconnected"), pair.b.cause.getMessage());
  }

  @Test
  void messagesSentBeforeDisconnectArrive() {
    try (Pair pair = connected()) {
      sendAndLeave(pair, MESSAGES);
      allArriveBeforeTheEnd(pair, MESSAGES);
    }
  }

  /** The ring of both queues waits too. */
  @Test
  void moreMessagesThanAreKeptArrive() {
    try (Pair pair = connected()) {
      sendAndLeave(pair, MANY);
      allArriveBeforeTheEnd(pair, MANY);
    }
  }

  @Test
  void messagesSentBeforeDisconnectOutliveTheirSendersQueue() {
    try (Pair pair = connected()) {
      MemoryRegion mine = pair.b.openRegion(64);
      RemoteMemory theirs = pair.b.remote(pair.a.openRegion(64));
      assertEquals(Status.OK, pair.right().post(new WorkRequest().write(mine, 0, 8, theirs, 0).id(1).flags(PostFlags.SIGNALED)));
      pair.success(pair.b, 1);
      sendAndLeave(pair, MESSAGES);
      pair.a.closeQueue();
      pair.until("the memory that was shared is gone", () -> ((ShmQueue) pair.b.queue()).peerings() == 0);
      assertEquals(Status.NOT_CONNECTED, pair.right().post(new WorkRequest().send(mine, 0, 8)));
      assertEquals(Status.NOT_CONNECTED, pair.right().post(new WorkRequest().write(mine, 0, 8, theirs, 0)));
      assertEquals(Status.NOT_CONNECTED, pair.right().flush());
      allArriveBeforeTheEnd(pair, MESSAGES);
    }
  }
}
