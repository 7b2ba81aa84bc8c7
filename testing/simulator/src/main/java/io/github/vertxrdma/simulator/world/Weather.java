package io.github.vertxrdma.simulator.world;

import java.util.random.RandomGenerator;

/**
 * Behaviour of the simulated network in one run. A parcel is a message, an access to remote memory, or an answer.
 *
 * @param latencyNanos minimum transfer time of a parcel, in nanoseconds
 * @param jitterNanos limit of the additional random time, in nanoseconds
 * @param refusals sends and accesses per thousand that are refused temporarily; receives: a tenth of this
 * @param limits sends and accesses per thousand that are refused permanently
 * @param errors messages and accesses per thousand that fail in the network
 * @param losesTail whether parcels in flight may be lost when their sender ends
 * @param earlyCompletions whether sends and plain writes complete when they are posted
 * @param bouncesToDead whether posts to a dead node fail; otherwise they stay incomplete
 */
public record Weather(int latencyNanos, int jitterNanos, int refusals, double limits, double errors, boolean losesTail,
  boolean earlyCompletions,
  boolean bouncesToDead) {

  public static Weather of(RandomGenerator random) {
    boolean calm = random.nextInt(4) == 0;
    int latency = 500 + random.nextInt(random.nextBoolean() ? 2_000 : 200_000);
    int jitter = 1 + random.nextInt(random.nextBoolean() ? 5_000 : 2_000_000);
    boolean early = random.nextInt(4) == 0;
    // A device that completes sends when they are posted must deliver them after an orderly end.
    return new Weather(latency, jitter, calm ? 0 : random.nextInt(4) * random.nextInt(60), calm || random.nextInt(4) > 0 ? 0 : 0.5,
      calm || random.nextInt(3) > 0 ? 0 : 2, !early && random.nextBoolean(), early, random.nextBoolean());
  }
}
