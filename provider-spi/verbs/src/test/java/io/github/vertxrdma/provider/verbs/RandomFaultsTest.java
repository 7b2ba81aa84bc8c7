package io.github.vertxrdma.provider.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.provider.Completion;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.contract.Devices;
import io.github.vertxrdma.provider.contract.LeakCheck;
import io.github.vertxrdma.provider.contract.Pair;
import io.github.vertxrdma.provider.contract.PairOptions;
import io.github.vertxrdma.provider.contract.Side;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Random operations over connections that end in random ways: each request completes once, and nothing is left. */
@ExtendWith({LeakCheck.class, UserSpace.class})
class RandomFaultsTest {
  private static final int MEMORY = 1 << 16;
  private static final int LONGEST = 256;
  private static final int WINDOW = 16;
  private static final int MOST_LATE_MICROS = 300;
  private static final AsyncEvent[] EVENTS = {AsyncEvent.QP_FATAL, AsyncEvent.QP_REQ_ERR, AsyncEvent.QP_ACCESS_ERR, AsyncEvent.PATH_MIG_ERR,
    AsyncEvent.CQ_ERR};

  private Random random;

  @ParameterizedTest
  @MethodSource("io.github.vertxrdma.nic.Nic#personalities")
  @Timeout(120)
  void someOperations(String name) {
    run(name, 3_000, 4711);
  }

  @ParameterizedTest
  @MethodSource("io.github.vertxrdma.nic.Nic#personalities")
  @Tag("long")
  @Timeout(1200)
  void manyOperations(String name) {
    run(name, 100_000, System.nanoTime());
  }

  private void run(String name, int operations, long seed) {
    System.out.println("seed " + seed + ", on " + name);
    random = new Random(seed);
    Nic.use(name);
    Device device = Devices.require(new VerbsProvider(), "verbs:" + name);
    Map<String, Integer> ends = new HashMap<>();
    for (int left = operations; left > 0;) {
      Nic.built().delayCompletions(random.nextInt(), random.nextBoolean() ? MOST_LATE_MICROS : 0);
      try (Pair pair = Pair.connected(device, new PairOptions().withSlots(2 * WINDOW, LONGEST))) {
        Life life = new Life(pair, Math.min(left, 1 + random.nextInt(50)));
        left -= life.begun.size();
        life.faults.forEach(fault -> ends.merge(fault, 1, Integer::sum));
      }
    }
    System.out.println(name + ": " + ends);
  }

  private final class Life {
    private static final int FAULTS = 4;

    private final Pair pair;
    private final Side[] sides;
    private final MemoryRegion[] regions = new MemoryRegion[2];
    private final RemoteMemory[] remotes = new RemoteMemory[2];
    private final boolean atomics;
    private final Map<Long, Boolean> begun = new HashMap<>();
    private final Set<String> faults = new TreeSet<>();
    private int outstanding;

    Life(Pair pair, int operations) {
      this.pair = pair;
      sides = new Side[] {pair.a, pair.b};
      atomics = pair.a.domain().capabilities().atomics();
      for (int i = 0; i < 2; i++) {
        regions[i] = sides[i].openRegion(MEMORY);
      }
      for (int i = 0; i < 2; i++) {
        remotes[i] = sides[i].remote(regions[1 - i]);
      }
      while (begun.size() < operations && alive()) {
        operation(random.nextInt(2));
        drain();
      }
      String ended = end();
      pair.until(ended + ": both ends are told", () -> {
        drain();
        return !pair.a.disconnected.isEmpty() && !pair.b.disconnected.isEmpty();
      });
      pair.until(ended + ": " + outstanding + " requests complete", () -> {
        drain();
        return outstanding == 0;
      });
      for (int i = 0; i < 4; i++) {
        pair.poll();
      }
      drain();
      assertNotNull(pair.a.cause.getMessage(), ended);
      assertEquals(0, outstanding, ended);
    }

    private Endpoint endpoint(int side) {
      return side == 0 ? pair.left() : pair.right();
    }

    private boolean alive() {
      return pair.a.disconnected.isEmpty() && pair.b.disconnected.isEmpty();
    }

    private void operation(int side) {
      long id = Side.nextId();
      int length = 1 + random.nextInt(LONGEST);
      int from = random.nextInt(MEMORY - LONGEST);
      int to = random.nextInt(MEMORY - LONGEST) & -8;
      WorkRequest request = new WorkRequest();
      switch (random.nextInt(atomics ? 5 : 4)) {
        case 0, 1 -> request.send(regions[side], from, length);
        case 2 -> request.write(regions[side], from, length, remotes[side], to);
        case 3 -> request.read(regions[side], from, length, remotes[side], to);
        default -> request.fetchAdd(regions[side], from & -8, remotes[side], to, 1);
      }
      if (outstanding >= WINDOW) {
        pair.poll();
        return;
      }
      int status = endpoint(side).post(request.id(id).flags(PostFlags.SIGNALED));
      if (status == Status.OK) {
        begun.put(id, false);
        outstanding++;
      } else {
        assertTrue(status == Status.AGAIN || status == Status.NOT_CONNECTED && endpoint(side).failure() != null,
          () -> Status.name(status) + ": " + endpoint(side).failure());
        pair.poll();
      }
    }

    private String end() {
      int side = random.nextInt(2);
      int number = ((VerbsEndpoint) endpoint(side)).pair.number;
      String how = switch (random.nextInt(FAULTS)) {
        case 0 -> {
          WorkStatus status = WorkStatus.of(1 + random.nextInt(WorkStatus.GENERAL_ERR.ordinal()));
          Nic.built().failRequest(number, random.nextInt(4), status.ordinal());
          yield status.name();
        }
        case 1 -> {
          AsyncEvent event = EVENTS[random.nextInt(EVENTS.length)];
          Nic.built().raise(number, event.ordinal());
          yield event.name();
        }
        case 2 -> {
          endpoint(side).disconnect();
          yield "disconnect";
        }
        default -> {
          endpoint(side).peerDead("a test says so");
          yield "peer dead";
        }
      };
      faults.add(how);
      while (alive()) {
        operation(side);
        drain();
      }
      return how;
    }

    private void drain() {
      for (Side side : sides) {
        for (Completion completion : side.completions) {
          Boolean was = begun.put(completion.requestId(), true);
          assertEquals(Boolean.FALSE, was, () -> "completed twice, or never posted: " + completion);
          assertTrue(completion.ok() || completion.error() != null && !completion.error().isEmpty(), completion::toString);
          outstanding--;
        }
        side.completions.clear();
        side.messages.clear();
      }
    }
  }
}
