package io.github.vertxrdma.simulator.world;

import java.util.random.RandomGenerator;

/**
 * Behaviour of a fabric in one run.
 *
 * @param latencyNanos shortest time that a parcel takes
 * @param jitterNanos longest time that a parcel takes beyond that
 * @param refusals how many of a thousand posts are refused temporarily
 * @param limits how many of a thousand posts are refused permanently
 * @param errors how many of a thousand parcels end with an error of the fabric
 * @param losesTail whether some parcels that are in flight when their sender ends are lost
 * @param earlyCompletions whether sends and plain writes complete when they are posted
 * @param bouncesToDead whether posts to a dead node end with an error; otherwise they never complete
 */
public record Weather(int latencyNanos, int jitterNanos, int refusals, double limits, double errors, boolean losesTail,
  boolean earlyCompletions,
  boolean bouncesToDead) {

  public static Weather of(RandomGenerator random) {
    boolean calm = random.nextInt(4) == 0;
    int latency = 500 + random.nextInt(random.nextBoolean() ? 2_000 : 200_000);
    int jitter = 1 + random.nextInt(random.nextBoolean() ? 5_000 : 2_000_000);
    boolean early = random.nextInt(4) == 0;
    // If sends complete when they are posted, an orderly end must not lose them.
    return new Weather(latency, jitter, calm ? 0 : random.nextInt(4) * random.nextInt(60), calm || random.nextInt(4) > 0 ? 0 : 0.5,
      calm || random.nextInt(3) > 0 ? 0 : 2, !early && random.nextBoolean(), early, random.nextBoolean());
  }
}
