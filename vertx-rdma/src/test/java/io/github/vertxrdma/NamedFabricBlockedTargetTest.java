package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Remote reads continue while a handler blocks the target's only event loop. Prints their latency while the loop is idle and blocked, in
 * turns.
 */
@NamedFabric
@Timeout(600)
class NamedFabricBlockedTargetTest extends FabricPair {
  private static final int SIZE = 4096;
  private static final int ROUNDS = 15;
  private static final int READS = 100;
  private static final int WARM_UP = 1500;
  private static final int SLEEP_MILLIS = 20_000;

  @Override
  String fabric() {
    return System.getProperty(NamedFabric.PROPERTY);
  }

  @Override
  VertxOptions vertxOptions() {
    return new VertxOptions().setEventLoopPoolSize(1);
  }

  private static long[] reads(RemoteRegion remote, int count) throws Exception {
    long[] times = new long[count];
    for (int i = 0; i < count; i++) {
      long start = System.nanoTime();
      Buffer got = await(remote.read(0, SIZE));
      times[i] = System.nanoTime() - start;
      assertTrue(got.length() == SIZE && got.getByte(SIZE - 1) == 9, "other bytes than the target's");
    }
    Arrays.sort(times);
    return times;
  }

  private static double micros(long nanos) {
    return nanos / 1000.0;
  }

  private static String summary(long[] sorted) {
    return String.format("median %.1f p99 %.1f max %.1f", micros(sorted[sorted.length / 2]), micros(sorted[sorted.length * 99 / 100]),
      micros(sorted[sorted.length - 1]));
  }

  private static long[] all(List<long[]> rounds) {
    return rounds.stream().flatMapToLong(Arrays::stream).sorted().toArray();
  }

  @Test
  void readsCompleteWhileTheTargetsEventLoopIsBlocked() throws Exception {
    MemoryRegion region = await(server.createRegion(new RegionOptions().setName("there").setSize(SIZE).setAccess(RegionAccess.READ)));
    region.segment().fill((byte) 9);
    AtomicBoolean asleep = new AtomicBoolean();
    Semaphore wake = new Semaphore(0);
    await(server.createServer().connectHandler(c -> c.handler(m -> {
      asleep.set(true);
      try {
        asleep.set(!wake.tryAcquire(SLEEP_MILLIS, TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      c.write(m);
    })).listen("sleeper"));
    RdmaConnection sleeper = await(client.connect("sleeper"));
    AtomicBoolean awake = new AtomicBoolean();
    sleeper.handler(m -> awake.set(true));
    RemoteRegion remote = await(client.openRegion("there"));
    reads(remote, WARM_UP);

    List<long[]> idle = new ArrayList<>();
    List<long[]> blocked = new ArrayList<>();
    double[] ratios = new double[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
      idle.add(reads(remote, READS));
      sleeper.write(Buffer.buffer("sleep"));
      until("the handler sleeps", asleep::get);
      blocked.add(reads(remote, READS));
      assertFalse(awake.get(), "the handler woke up before the reads were done");
      wake.release();
      until("the handler is awake", awake::get);
      assertFalse(asleep.get(), "the handler slept for " + SLEEP_MILLIS + " ms, the reads took longer");
      awake.set(false);
      ratios[round] = (double) blocked.getLast()[READS / 2] / idle.getLast()[READS / 2];
    }
    Arrays.sort(ratios);
    long[] allBlocked = all(blocked);
    double ratio = (double) allBlocked[allBlocked.length / 2] / all(idle)[allBlocked.length / 2];
    System.out.printf("%s, %d rounds of %d reads of %d B, µs: idle %s; blocked %s; ratio of the medians %.2f, by round %.2f to %.2f,"
      + " median %.2f%n", fabric(), ROUNDS, READS, SIZE, summary(all(idle)), summary(allBlocked), ratio, ratios[0], ratios[ROUNDS - 1],
      ratios[ROUNDS / 2]);
    assertTrue(allBlocked[allBlocked.length - 1] < TimeUnit.MILLISECONDS.toNanos(SLEEP_MILLIS / 2), summary(allBlocked));
  }
}
