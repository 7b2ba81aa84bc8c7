package io.github.vertxrdma.provider.libfabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.fi.FiStandIn;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.Parameter;

/** Operations of adapters that fail at random: each ends exactly once, and nothing is left. */
@OverFabrics(value = StandInDevices.EFA, full = {StandInDevices.CXI, StandInDevices.OPX})
class AdapterFaultsTest {
  private static final int EVERY = 50;
  private static final int MOST_AT_ONCE = 40;
  private static final int REGION = 1 << 16;

  @Parameter
  private String name;

  @Test
  @Timeout(120)
  void someOperationsEndOnce() {
    run(5_000, 4711);
  }

  @Test
  @Tag("long")
  @Timeout(1800)
  void manyOperationsEndOnce() {
    run(100_000, (int) System.nanoTime());
  }

  private void run(int operations, int seed) {
    System.out.println("seed " + seed + " on " + name);
    FabricDevice device = StandInDevices.device(name);
    FiStandIn standIn = StandInDevices.standIn();
    String provider = device.info().provider();
    Random random = new Random(seed);
    int failed = 0;
    try (Pair pair = Pair.connected(device)) {
      MemoryRegion memory = pair.a.openRegion(REGION);
      RemoteMemory remote = pair.a.remote(pair.b.openRegion(REGION));
      for (int ended = 0; ended < operations;) {
        standIn.failAtRandom(provider, random.nextInt(), EVERY);
        Set<Long> posted = post(pair, memory, remote, random);
        standIn.failAtRandom(provider, 0, 0);
        ended += posted.size();
        failed += end(pair, posted);
        if (pair.left().state() != EndpointState.CONNECTED) {
          pair.left().close();
          pair.connect();
        }
        pair.b.messages.clear();
      }
      pair.success(pair.a, pair.a.send(pair.left(), new byte[] {1}, PostFlags.SIGNALED));
    } finally {
      standIn.failAtRandom(provider, 0, 0);
    }
    assertTrue(failed > 0, "no operation failed");
    assertEquals(0, standIn.regions(provider));
  }

  private static Set<Long> post(Pair pair, MemoryRegion memory, RemoteMemory remote, Random random) {
    Set<Long> posted = new HashSet<>();
    for (int i = 1 + random.nextInt(MOST_AT_ONCE); i > 0; i--) {
      long id = Side.nextId();
      int length = pair.a.prefix() + random.nextInt(random.nextInt(8) == 0 ? 1 << 14 : 500);
      long at = random.nextInt(REGION / 2) & -8L;
      WorkRequest request = new WorkRequest();
      switch (random.nextInt(4)) {
        case 0 -> request.read(memory, at, length, remote, at);
        case 1 -> request.write(memory, at, length, remote, at);
        case 2 -> request.fetchAdd(memory, at, remote, at, 1);
        default -> request.send(memory, at, Math.min(length, pair.a.prefix() + 500));
      }
      int status = pair.left().post(request.id(id).flags(PostFlags.SIGNALED));
      if (status == Status.OK) {
        assertTrue(posted.add(id));
      }
      pair.poll();
    }
    return posted;
  }

  /** Waits for the completion of each operation. @return number of operations that failed */
  private static int end(Pair pair, Set<Long> posted) {
    pair.until("all operations end", () -> posted.stream().allMatch(id -> pair.a.completion(id) != null));
    for (int i = 0; i < 10; i++) {
      pair.poll();
    }
    Set<Long> ends = new HashSet<>();
    int failed = 0;
    for (Completion completion : pair.a.completions) {
      assertTrue(posted.contains(completion.requestId()), completion::toString);
      assertTrue(ends.add(completion.requestId()), () -> completion + " ended twice");
      assertNotNull(Status.name(completion.status()));
      failed += completion.ok() ? 0 : 1;
    }
    pair.a.completions.clear();
    return failed;
  }
}
