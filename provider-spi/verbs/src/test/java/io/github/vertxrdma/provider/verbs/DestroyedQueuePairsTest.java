package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Await;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Ended and closed endpoints beside others with traffic. */
@Timeout(120)
@ExtendWith({LeakCheck.class, UserSpace.class})
class DestroyedQueuePairsTest {
  private static final int RECEIVES = 8;

  private static Pair open(String name) {
    Nic.use(name);
    return Pair.open(Devices.require(new VerbsProvider(), "verbs:" + name),
      new PairOptions().withSlots(RECEIVES, 256));
  }

  private static void sendToOneThatDoesNotPoll(Pair pair, Endpoint from) {
    long id = pair.a.send(from, new byte[] {1}, PostFlags.SIGNALED);
    Await.until("a message is sent", () -> pair.a.completion(id) != null, pair.a::poll, pair.a::toString);
  }

  @Test
  void stalledThreadReceivesMessageBehindManyOthers() {
    try (Pair pair = Pair.connected(Devices.require(new VerbsProvider(), "verbs:" + Nic.DEFAULT), new PairOptions().withSlots(100, 64))) {
      Endpoint left = pair.left();
      Endpoint right = pair.right();
      pair.connect();
      for (int i = 0; i < 90; i++) {
        sendToOneThatDoesNotPoll(pair, pair.left());
      }
      sendToOneThatDoesNotPoll(pair, left);
      right.disconnect();
      for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1100); System.nanoTime() - end < 0;) {
        pair.a.poll();
      }
      pair.until("the end, and all receives of the one that ended", () -> !pair.b.disconnected.isEmpty()
        && pair.b.failedSlots.size() + pair.b.messages.stream().filter(message -> message.endpoint() == right).count() == 100);
      assertEquals(99, pair.b.failedSlots.size());
      assertEquals(List.of(right), pair.b.disconnected);
    }
  }

  private static long queuePairs() {
    return NativeObjects.counts().get("verbs " + NativeObjects.Kind.QUEUE_PAIR);
  }

  @Test
  void loadOfOneEndpointDoesNotDelayCloseOfOthers() {
    try (Pair pair = open(Nic.DEFAULT)) {
      pair.connect();
      Endpoint ended = pair.left();
      pair.connect();
      Endpoint closed = pair.left();
      pair.connect();
      WorkRequest write = new WorkRequest().write(pair.a.openRegion(64), 0, 8, pair.a.remote(pair.b.openRegion(64)), 0)
        .flags(PostFlags.SIGNALED);
      CompletionBatch batch = new CompletionBatch(1);
      long before = queuePairs();
      ended.disconnect();
      closed.close();
      Await.until("both end beside the load", () -> !pair.a.disconnected.isEmpty() && queuePairs() < before, () -> {
        // More than are taken, so that the queue is never empty.
        pair.left().post(write.id(Side.nextId()));
        pair.left().post(write.id(Side.nextId()));
        pair.a.queue().poll(batch);
        return 0;
      }, pair.a::toString);
      assertEquals(List.of(ended), pair.a.disconnected);
      assertEquals(before - 1, queuePairs());
    }
  }
}
