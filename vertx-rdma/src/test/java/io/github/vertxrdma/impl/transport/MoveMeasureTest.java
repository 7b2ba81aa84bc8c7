package io.github.vertxrdma.impl.transport;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Traffic in simulated time, whose rate depends on the carrier. */
class MoveMeasureTest {
  private static final long TICK = TimeUnit.MILLISECONDS.toNanos(20);
  private static final double SIZE = 100;

  private final MoveMeasure measure = new MoveMeasure(at -> left());
  private final Random random = new Random(7);
  private double noise = 0.1;
  private long now = 1_000;
  private double bytes;
  private double messages;
  private int toFabric;
  /** Processors that other processes leave. */
  private double free = 2;
  /** Processors that others than the two nodes take while these use the fabric. */
  private double polling;

  private double left() {
    return measure.usesFabric() ? free - polling : free;
  }

  /** Messages in a second at a time in seconds, by TCP or over the fabric. */
  private interface Traffic {
    double rate(double second, boolean fabric);
  }

  /** Lets time pass. @return the part of the time in which the fabric was used */
  private double run(double seconds, Traffic traffic) {
    return run(seconds, traffic, at -> 1);
  }

  private double run(double seconds, Traffic traffic, ToDoubleFunction<Double> counted) {
    long end = now + (long) (seconds * 1e9);
    long start = now;
    double used = 0;
    double all = 0;
    while (now < end) {
      double second = (now - start) / 1e9;
      boolean before = measure.usesFabric();
      double passed = traffic.rate(second, before) * TICK / 1e9 * (1 + noise * random.nextGaussian());
      messages += Math.max(0, passed);
      bytes += SIZE * Math.max(0, passed);
      now += TICK;
      double weight = counted.applyAsDouble(second);
      used += before ? weight : 0;
      all += weight;
      if (measure.isAsleep() && passed > 1_000 * TICK / 1e9) {
        measure.wake(now, (long) bytes, (long) messages);
      }
      measure.tick(now, (long) bytes, (long) messages);
      toFabric += measure.usesFabric() && !before ? 1 : 0;
    }
    return used / all;
  }

  @Test
  void usesTheFabricThatCarriesMore() {
    run(2, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(measure.usesFabric());
    double used = run(100, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(used > 0.97, "used " + used);
  }

  @Test
  void returnsToTcpThatCarriesMore() {
    double used = run(15, (at, fabric) -> fabric ? 9_000 : 15_000);
    assertTrue(used < 0.8, "used " + used);
    used = run(100, (at, fabric) -> fabric ? 9_000 : 15_000);
    assertTrue(used < 0.03, "used " + used);
  }

  @Test
  void returnsToTcpIfBothCarryTheSame() {
    run(30, (at, fabric) -> 5_000);
    double used = run(100, (at, fabric) -> 5_000);
    assertTrue(used < 0.05, "used " + used);
  }

  @Test
  void returnsAtOnceWhenTheFabricLoses() {
    run(30, (at, fabric) -> fabric ? 40_000 : 15_000);
    double used = run(4, (at, fabric) -> fabric ? 6_000 : 10_000);
    assertTrue(used < 0.4, "used " + used);
    assertFalse(measure.usesFabric());
    run(30, (at, fabric) -> fabric ? 6_000 : 10_000);
    used = run(20, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(used > 0.5, "used " + used);
    assertTrue(measure.usesFabric());
  }

  @Test
  void measuresTheFabricAfterItsCodeIsCompiled() {
    double[] passed = new double[1];
    double used = run(4, (at, fabric) -> {
      passed[0] += fabric ? 0.02 * 5_000 : 0;
      return fabric ? Math.min(40_000, 5_000 + 10 * passed[0]) : 15_000;
    });
    assertTrue(used > 0.8, "used " + used);
  }

  @Test
  void leavesRareTrafficOnTcpWithoutMeasuring() {
    double used = run(10, (at, fabric) -> 500);
    assertTrue(used == 0, "used " + used);
    assertTrue(measure.isAsleep());
    run(2, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(measure.usesFabric());
    run(2, (at, fabric) -> 50);
    assertFalse(measure.usesFabric());
    assertTrue(measure.isAsleep());
  }

  @Test
  void resumesWithTheBetterOne() {
    run(10, (at, fabric) -> fabric ? 40_000 : 15_000);
    double used = run(60, (at, fabric) -> at % 2 < 1 ? 0 : fabric ? 40_000 : 15_000, at -> at % 2 < 1 ? 0 : 1);
    assertTrue(used > 0.9, "used " + used);
  }

  @Test
  void staysOnTcpWithUnsteadyTraffic() {
    run(15, (at, fabric) -> fabric ? 9_000 : 15_000);
    noise = 0.5;
    double used = run(300, (at, fabric) -> fabric ? 9_000 : 15_000);
    assertTrue(used < 0.05, "used " + used);
  }

  @Test
  void usesTcpBesideBusyProcesses() {
    free = 0.4;
    assertEquals(0, run(10, (at, fabric) -> fabric ? 40_000 : 15_000));
    free = 2;
    run(2, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(measure.usesFabric());
    free = 1;
    assertTrue(run(2, (at, fabric) -> fabric ? 40_000 : 15_000) < 0.1);
    assertFalse(measure.usesFabric());
  }

  @Test
  void fabricIsUsedAtGrowingIntervalsIfItsUseLeavesTooFewProcessors() {
    polling = 1;
    double used = run(60, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(toFabric <= 10 && used < 0.05, toFabric + " times, used " + used);
    polling = 0;
    run(10, (at, fabric) -> fabric ? 40_000 : 15_000);
    assertTrue(measure.usesFabric());
  }
}
