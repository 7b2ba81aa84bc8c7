package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Receives of a shared queue that a closed queue pair had taken are returned, though devices differ in what they report. */
@ExtendWith(TestDevices.class)
@Timeout(120)
@ExtendWith(LeakCheck.class)
class DestroyedQueuePairsTest {
  private static final int RECEIVES = 8;

  static List<String> names() {
    return List.of(Nic.DEFAULT, "mlx5", "tiny");
  }

  @BeforeEach
  void requireUserSpace() {
    assumeTrue(TestDevices.inUserSpace(), "this machine has verbs devices of its own, whose behavior cannot be chosen");
  }

  private static Pair open(String name) {
    Nic.use(name);
    return Pair.open(Devices.require(new VerbsProvider(), "verbs:" + name),
      new PairOptions().withSharedReceives().withSlots(RECEIVES, 256));
  }

  @AfterEach
  void useTheDefault() {
    if (TestDevices.inUserSpace()) {
      Nic.use(Nic.DEFAULT);
    }
  }

  private static void takeAll(Pair pair) {
    for (int i = 0; i < RECEIVES; i++) {
      long id = pair.a.send(pair.left(), new byte[] {(byte) i}, PostFlags.SIGNALED);
      while (pair.a.completion(id) == null) {
        pair.a.poll();
      }
      assertTrue(pair.a.completion(id).ok(), pair.a.completion(id).toString());
    }
  }

  private static void sendOne(Pair pair) {
    pair.connect();
    pair.success(pair.a, pair.a.send(pair.left(), new byte[] {77}, PostFlags.SIGNALED));
    pair.until("a message of the next one", () -> pair.b.messages.stream().anyMatch(message -> message.data()[0] == 77));
  }

  @ParameterizedTest
  @MethodSource("names")
  void receivesOfAClosedEndpointComeBack(String name) {
    try (Pair pair = open(name)) {
      pair.connect();
      takeAll(pair);
      pair.right().close();
      sendOne(pair);
      assertEquals(RECEIVES + 1, pair.b.messages.size());
      assertEquals(List.of(), pair.b.failedSlots);
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void receivesOfABrokenEndpointComeBack(String name) {
    try (Pair pair = open(name)) {
      pair.connect();
      takeAll(pair);
      pair.right().disconnect();
      pair.right().close();
      sendOne(pair);
    }
  }

  /** mlx5 drops the completions of a queue pair that is destroyed. */
  @Test
  void stalledThreadGetsItsReceivesBack() {
    try (Pair pair = open("mlx5")) {
      pair.connect();
      takeAll(pair);
      pair.b.send(pair.right(), new byte[] {1}, PostFlags.SIGNALED);
      pair.right().disconnect();
      for (long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1100); System.nanoTime() - end < 0;) {
        pair.a.poll();
      }
      sendOne(pair);
      assertEquals(RECEIVES + 1, pair.b.messages.size());
    }
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
      for (int left = 4 * pair.a.queue().capacity(); left > 0 && (pair.a.disconnected.isEmpty() || queuePairs() == before); left--) {
        pair.left().post(write.id(Side.nextId()));
        pair.left().post(write.id(Side.nextId()));
        assertEquals(1, pair.a.queue().poll(batch), "a completion that fills the batch");
      }
      assertEquals(List.of(ended), pair.a.disconnected);
      assertEquals(before - 1, queuePairs());
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void theSharedQueueClosesAtOnce(String name) {
    try (Pair pair = open(name)) {
      pair.connect();
      takeAll(pair);
      pair.right().close();
      pair.b.shared().close();
      pair.until("all receives come back", () -> pair.b.failedSlots.size() + pair.b.messages.size() == RECEIVES);
    }
  }
}
