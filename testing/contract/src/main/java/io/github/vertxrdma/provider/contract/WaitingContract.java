package io.github.vertxrdma.provider.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.Waiting;
import io.github.vertxrdma.provider.WorkRequest;
import java.util.concurrent.TimeUnit;

public interface WaitingContract extends ContractFixture {
  private static int lostMillis() {
    return (int) Await.patienceMillis();
  }

  @ContractTest
  default void pingPongsThatSleepLoseNoWakeUp() throws Exception {
    int rounds = roundTrips();
    Duo.run(device(), new PairOptions(), side -> {
      Sleeper sleeper = new Sleeper(side.queue());
      for (int i = 0; i < rounds; i++) {
        send(side, i, sleeper);
        awaitMessage(side, sleeper, i);
      }
    }, side -> {
      Sleeper sleeper = new Sleeper(side.queue());
      for (int i = 0; i < rounds; i++) {
        awaitMessage(side, sleeper, i);
        send(side, i, sleeper);
      }
      Await.until("the last send", () -> side.endpoint.outstanding() == 0 || !side.disconnected.isEmpty(), side::poll, side::toString);
    });
  }

  private static int length(int round) {
    return round % 50 == 49 ? 3000 : 64;
  }

  private static void send(Side side, int round, Sleeper sleeper) {
    while (side.endpoint.outstanding() >= side.endpoint.sendDepth()) {
      step(side, sleeper);
    }
    side.send(side.endpoint, Pattern.bytes(round, length(round)), PostFlags.SIGNALED);
    side.completions.clear();
  }

  private static void awaitMessage(Side side, Sleeper sleeper, int round) {
    while (side.messages.isEmpty()) {
      step(side, sleeper);
    }
    Pattern.check(side.messages.poll().data(), length(round), round);
  }

  private static void step(Side side, Sleeper sleeper) {
    if (side.poll() > 0) {
      return;
    }
    assertTrue(side.disconnected.isEmpty(), () -> "disconnected: " + side.cause);
    boolean woken = sleeper.sleep(lostMillis());
    if (!woken) {
      side.poll();
      throw new AssertionError("no wake-up in " + lostMillis() + " ms; then polling found: " + side);
    }
  }

  @ContractTest
  default void readsThatSleepLoseNoWakeUp() throws Exception {
    // Few rounds, because a target may sleep 1 ms in each.
    int rounds = Math.min(300, roundTrips());
    java.util.concurrent.CompletableFuture<MemoryRegion> shared = new java.util.concurrent.CompletableFuture<>();
    Duo.run(device(), new PairOptions(), side -> {
      Sleeper sleeper = new Sleeper(side.queue());
      MemoryRegion own = side.openRegion(4096);
      var remote = side.remote(shared.get(Await.patienceMillis(), TimeUnit.MILLISECONDS));
      for (int i = 0; i < rounds; i++) {
        assertEquals(Status.OK, side.endpoint.post(new WorkRequest().read(own, 0, 4096, remote, 0).id(i).flags(PostFlags.SIGNALED)));
        while (side.completion(i) == null) {
          stepOfReader(side, sleeper);
        }
        assertTrue(side.completion(i).ok(), side.completion(i).toString());
        side.completions.clear();
      }
      side.send(side.endpoint, new byte[] {1}, PostFlags.SIGNALED);
      while (side.endpoint.outstanding() > 0) {
        stepOfReader(side, sleeper);
      }
    }, side -> {
      Sleeper sleeper = new Sleeper(side.queue());
      shared.complete(side.openRegion(4096));
      while (side.messages.isEmpty()) {
        side.poll();
        // The target may not be notified of a plain read, so it sleeps at most 1 ms.
        sleeper.sleep(1);
      }
    });
  }

  private static void stepOfReader(Side side, Sleeper sleeper) {
    if (side.poll() == 0) {
      assertTrue(side.disconnected.isEmpty(), () -> "disconnected: " + side.cause);
      // Must precede arm(), which may change the number.
      boolean announced = side.queue().unannounced() == 0;
      boolean woken = sleeper.sleep(announced ? lostMillis() : 1);
      assertTrue(woken || !announced, () -> "no wake-up in " + lostMillis() + " ms: " + side);
    }
  }

  @ContractTest
  default void anIdleQueueStaysAsleep(Pair pair) {
    if (pair.a.queue().waiting() == Waiting.NONE) {
      return;
    }
    pair.success(pair.a, pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED));
    pair.message(pair.b);
    Sleeper sleeper = new Sleeper(pair.a.queue());
    int[] quiet = {0};
    Await.until("three sleeps end without a wake-up", () -> {
      quiet[0] += sleeper.sleep(100) ? 0 : 1;
      return quiet[0] == 3;
    }, () -> {
      int found = pair.poll();
      quiet[0] = found > 0 ? 0 : quiet[0];
      return found;
    }, pair::toString);
  }

  @ContractTest
  default void postsAfterArmWakeTheSleeper(Pair pair) {
    Sleeper sleeper = new Sleeper(pair.a.queue());
    pair.until("a is armed", pair.a.queue()::arm);
    long id = pair.a.send(pair.left(), new byte[10], PostFlags.SIGNALED);
    Await.until("a gets the completion of its send", () -> sleeper.sleep(1) || pair.a.queue().unannounced() > 0, pair.b::poll,
      pair.a::toString);
    pair.success(pair.a, id);
  }

  @ContractTest
  default void connectionEventsWakeTheSleeper() throws Exception {
    Duo.run(device(), new PairOptions(), side -> {
      Sleeper sleeper = new Sleeper(side.queue());
      while (side.disconnected.isEmpty()) {
        if (side.poll() == 0 && side.disconnected.isEmpty()) {
          boolean woken = sleeper.sleep(lostMillis());
          side.poll();
          assertTrue(woken || side.disconnected.isEmpty(), "no wake-up for a disconnect");
        }
      }
      assertFalse(side.disconnected.isEmpty());
    }, side -> side.endpoint.disconnect());
  }
}
