package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages that wait for receives while their sender disconnects arrive: their sends succeeded. */
@Timeout(60)
class GoodbyeTest {
  private static final int RECEIVES = 2;
  private static final int MESSAGES = 9;
  /** More than an endpoint keeps. */
  private static final int MANY = 100;
  /** Longer than a record of all but the largest ring. */
  private static final int LONG = 100_000;

  private static Pair connected(int slotSize) {
    return connected(Devices.require(new ShmProvider(), "shm"), slotSize);
  }

  private static Pair connected(Device device, int slotSize) {
    Pair pair = Pair.connected(device, new PairOptions().withTwoDomains().withSlots(RECEIVES, slotSize));
    pair.b.reposting(false);
    return pair;
  }

  private static Pair connected() {
    return connected(64);
  }

  private static void sendAndLeave(Pair pair, int messages) {
    for (int i = 0; i < messages; i++) {
      pair.a.send(pair.left(), new byte[8], 0);
    }
    pair.left().disconnect();
    pair.until("the first messages", () -> pair.b.messages.size() == RECEIVES && pair.a.disconnected.size() == 1);
  }

  private static void closeQueue(Pair pair) {
    pair.a.closeQueue();
    pair.until("the memory that was shared is gone", () -> ((ShmQueue) pair.b.queue()).links() == 0);
  }

  private static void allArriveBeforeTheEnd(Pair pair, int messages) {
    allArriveBefore(" disconnected", pair, messages);
  }

  private static void allArriveBefore(String end, Pair pair, int messages) {
    for (int i = 0; i < 100; i++) {
      pair.poll();
    }
    assertTrue(pair.b.disconnected.isEmpty(), () -> pair.b.cause.getMessage());
    pair.b.reposting(true);
    pair.until("disconnected", () -> pair.b.disconnected.size() == 1);
    assertEquals(messages, pair.b.messages.size());
    assertTrue(pair.b.cause.getMessage().endsWith(end), pair.b.cause.getMessage());
  }

  @Test
  void messagesSentBeforeDisconnectArrive() {
    try (Pair pair = connected()) {
      sendAndLeave(pair, MESSAGES);
      allArriveBeforeTheEnd(pair, MESSAGES);
    }
  }

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
      closeQueue(pair);
      assertEquals(Status.NOT_CONNECTED, pair.right().post(new WorkRequest().send(mine, 0, 8)));
      assertEquals(Status.NOT_CONNECTED, pair.right().post(new WorkRequest().write(mine, 0, 8, theirs, 0)));
      assertEquals(Status.NOT_CONNECTED, pair.right().flush());
      allArriveBeforeTheEnd(pair, MESSAGES);
    }
  }

  @Test
  void moreMessagesThanAreKeptOutliveTheirSendersQueue() {
    try (Pair pair = connected()) {
      sendAndLeave(pair, MANY);
      closeQueue(pair);
      allArriveBeforeTheEnd(pair, MANY);
    }
  }

  @Test
  void longMessagesOutliveTheirSendersQueue() {
    int messages = 5;
    try (Pair pair = connected(LONG)) {
      for (int i = 0; i < messages; i++) {
        pair.a.send(pair.left(), Pattern.bytes(i, LONG), 0);
        pair.until("it is in the ring", () -> pair.left().outstanding() == 0);
      }
      closeQueue(pair);
      allArriveBeforeTheEnd(pair, messages);
      for (int i = 0; i < messages; i++) {
        Pattern.check(pair.b.messages.poll().data(), LONG, i);
      }
    }
  }

  @Test
  void messagesInAFullRingOutliveTheirSendersQueue() {
    try (Pair pair = connected(1000)) {
      RingOutput output = ((ShmEndpoint) pair.left()).link().output;
      int sent = 0;
      for (; output.claim(2000) >= 0; sent++) {
        pair.a.send(pair.left(), new byte[1000], 0);
        pair.poll();
      }
      for (; pair.left().outstanding() == 0; sent++) {
        pair.a.send(pair.left(), new byte[8], 0);
      }
      closeQueue(pair);
      allArriveBeforeTheEnd(pair, sent - 1);
    }
  }

  @Test
  void messagesArriveBeforeTheEndOfAPeerWithoutGoodbye() {
    try (Pair pair = connected()) {
      for (int i = 0; i < MANY; i++) {
        pair.a.send(pair.left(), new byte[8], 0);
      }
      pair.until("the first messages", () -> pair.b.messages.size() == RECEIVES);
      ((ShmEndpoint) pair.left()).link().fail(new ProviderException(ProviderException.Reason.OTHER, "gone"));
      allArriveBefore("closed its completion queue", pair, MANY);
      assertEquals(ProviderException.Reason.PEER_ENDED, pair.b.cause.reason());
    }
  }
}
