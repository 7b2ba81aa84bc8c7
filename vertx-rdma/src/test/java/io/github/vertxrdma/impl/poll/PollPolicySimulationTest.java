package io.github.vertxrdma.impl.poll;

import static org.junit.jupiter.api.Assertions.*;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Compares the adaptive policy with always polling and always sleeping, on simulated machines with other threads, compilers and a
 * hypervisor. The cost of a round is its wall time plus the processor time of all event loops.
 */
@Tag("full")
class PollPolicySimulationTest {
  private static final int SEEDS = Integer.getInteger("vertx.rdma.poll.seeds", 200);
  /** Maximum ratio of the policy's cost to that of the better of both. */
  private static final double MOST = 1.5;
  /** Share of seeds with a higher ratio, and maximum mean of all. */
  private static final double FEW = 0.025;
  private static final double MEAN = 1.15;

  private enum Kind { ROUNDS, BURSTS, TIMED }

  private record World(long seed, int processors, long wakeNanos, long workNanos, Kind kind, int connections, int burst, long gapNanos,
    boolean secondLoop, int otherThreads, boolean compiles, boolean isStolen, long nanos) {

    static World of(long seed) {
      Random random = new Random(seed);
      Kind kind = Kind.values()[random.nextInt(3)];
      long gap = new long[] {50_000, 200_000, 1_000_000, 5_000_000, 20_000_000}[random.nextInt(5)];
      return new World(seed, 2 + random.nextInt(3), 5_000 + random.nextInt(60_000), 300 + random.nextInt(20_000), kind,
        random.nextInt(3) > 0 ? 1 : 2 + random.nextInt(15), 2 + random.nextInt(500), gap, random.nextInt(3) == 0, random.nextInt(4) > 0 ? 0
          : 1 + random.nextInt(4),
        random.nextBoolean(), random.nextInt(4) == 0, Math.clamp(200 * gap, 300_000_000L, 2_000_000_000L));
    }
  }

  private static final class Run {
    private final World world;
    private final SimulatedMachine machine;
    private final List<SimulatedEventLoop> path = new ArrayList<>();
    private final SimulatedEventLoop client;
    private long rounds;

    Run(World world, Supplier<Supplier<PollPolicy>> process) {
      this.world = world;
      Random random = new Random(world.seed);
      machine = new SimulatedMachine(world.processors, world.wakeNanos, random);
      Supplier<PollPolicy> clients = process.get();
      Supplier<PollPolicy> servers = process.get();
      client = loop(clients);
      SimulatedEventLoop server = loop(servers);
      if (world.secondLoop) {
        SimulatedEventLoop sender = loop(clients);
        SimulatedEventLoop worker = loop(servers);
        path.addAll(List.of(sender, server, worker, server, sender, client));
      } else {
        path.addAll(List.of(server, client));
      }
      for (int i = 0; i < world.otherThreads; i++) {
        busy(100_000_000_000L, 0);
      }
      if (world.compiles) {
        for (long at = 0; at < world.nanos; at += 2_000_000 + random.nextInt(40_000_000)) {
          busy(200_000 + random.nextInt(3_000_000), at);
        }
      }
      if (world.isStolen) {
        for (long at = 0; at < world.nanos; at += 1_000_000 + random.nextInt(50_000_000)) {
          machine.at(at, () -> machine.steal(100_000 + random.nextInt(3_000_000)));
        }
      }
    }

    private SimulatedEventLoop loop(Supplier<PollPolicy> policy) {
      SimulatedEventLoop loop = new SimulatedEventLoop(machine, policy.get());
      loop.work(world.workNanos);
      machine.at(0, loop::start);
      return loop;
    }

    private void busy(long nanos, long at) {
      SimulatedMachine.Task task = new SimulatedMachine.Task() {
        private long left = nanos;

        @Override
        long step(long now) {
          long step = Math.min(left, 50_000);
          left -= step;
          end = left > 0 ? SimulatedMachine.End.RUNS : SimulatedMachine.End.SLEEPS;
          return step;
        }
      };
      machine.at(at, () -> machine.wake(task));
    }

    private void hop(int at, Runnable done) {
      if (at == path.size()) {
        done.run();
      } else {
        path.get(at).message(() -> hop(at + 1, done));
      }
    }

    private void round(int left) {
      hop(0, () -> {
        rounds++;
        if (left > 1) {
          round(left - 1);
        } else if (world.kind != Kind.TIMED) {
          machine.at(machine.now + world.gapNanos, () -> client.message(() -> round(world.burst)));
        }
      });
    }

    private void timed() {
      client.message(() -> round(1));
      machine.at(machine.now + world.gapNanos, this::timed);
    }

    double cost() {
      for (int i = 0; i < world.connections; i++) {
        machine.at(1_000_000 + i * 10_000L, () -> {
          switch (world.kind) {
            case ROUNDS -> round(Integer.MAX_VALUE);
            case BURSTS -> round(world.burst);
            case TIMED -> timed();
          }
        });
      }
      machine.run(world.nanos);
      long ran = path.stream().distinct().mapToLong(loop -> loop.ran).sum();
      return (double) (world.nanos + ran) / Math.max(1, rounds);
    }
  }

  private static double cost(World world, Supplier<Supplier<PollPolicy>> process) {
    return new Run(world, process).cost();
  }

  private static Supplier<PollPolicy> adaptive(World world) {
    AtomicInteger polling = new AtomicInteger();
    return () -> new AdaptivePolicy(polling, AdaptivePolicy.mayPoll(world.processors, world.processors));
  }

  private record Result(long seed, double ratio, String text) {
    static Result of(long seed, Supplier<PollPolicy> judged) {
      World world = World.of(seed);
      double polls = cost(world, () -> BusyPolicy::new);
      double sleeps = cost(world, () -> PollPolicies.BLOCKING::create);
      double cost = judged == null ? cost(world, () -> adaptive(world)) : cost(world, () -> judged);
      double ratio = cost / Math.min(polls, sleeps);
      return new Result(seed, ratio, "%.2f (polling %.0f, sleeping %.0f, this %.0f): %s".formatted(ratio, polls, sleeps, cost, world));
    }
  }

  private static List<Result> results(int seeds, Supplier<PollPolicy> judged) {
    return LongStream.range(0, seeds).mapToObj(seed -> Result.of(seed, judged)).toList();
  }

  private static List<String> above(List<Result> results, double most) {
    return results.stream().filter(result -> result.ratio > most).map(Result::text).toList();
  }

  @Test
  void adaptivePolicyCostsLittleMoreThanTheBetterOfPollingAndSleeping() {
    List<Result> results = results(SEEDS, null);
    List<String> above = above(results, MOST);
    assertTrue(above.size() <= SEEDS * FEW, () -> above.size() + " of " + SEEDS + ":\n" + String.join("\n", above));
    double mean = results.stream().mapToDouble(Result::ratio).average().orElseThrow();
    assertTrue(mean < MEAN, () -> "mean of ratios " + mean);
  }

  @Test
  @Tag("full")
  void oneWayForAllTrafficIsFound() {
    for (Supplier<PollPolicy> one : List.<Supplier<PollPolicy>>of(BusyPolicy::new, PollPolicies.BLOCKING::create)) {
      assertTrue(above(results(100, one), MOST).size() > 20);
    }
  }

  @Test
  void processLeavesAProcessorToOthers() {
    assertEquals(1, AdaptivePolicy.mayPoll(2, 2));
    assertEquals(3, AdaptivePolicy.mayPoll(4, 4));
    assertEquals(1, AdaptivePolicy.mayPoll(1, 4));
    assertEquals(0, AdaptivePolicy.mayPoll(1, 1));
  }
}
