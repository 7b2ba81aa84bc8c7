package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.spi.metrics.PoolMetrics;

/** Meters of one pool of worker threads or connections. Thread-safe. */
final class PoolMeters implements PoolMetrics<Timer.Sample, Timer.Sample> {
  private static final String IN_USE = "vertx.pool.in.use";

  private final MeterRegistry registry;
  private final Sums.Part queued;
  private final Sums.Part used;
  /** Null if the pool has no maximum size. */
  private final Sums.Part bound;
  private final Timer waiting;
  private final Timer usage;

  /** @param size 0 or less if it has no maximum */
  PoolMeters(MeterRegistry registry, Tags tags, int size) {
    this.registry = registry;
    queued = Sums.part(registry, "vertx.pool.queue.pending", tags);
    used = Sums.part(registry, IN_USE, tags);
    bound = size > 0 ? Sums.size(registry, "vertx.pool.ratio", IN_USE, tags) : null;
    if (bound != null) {
      bound.add(size);
    }
    waiting = Timer.builder("vertx.pool.queue.time").tags(tags).register(registry);
    usage = Timer.builder("vertx.pool.usage").tags(tags).register(registry);
  }

  @Override
  public Timer.Sample enqueue() {
    queued.add(1);
    return Timer.start(registry);
  }

  @Override
  public void dequeue(Timer.Sample sample) {
    queued.add(-1);
    sample.stop(waiting);
  }

  @Override
  public Timer.Sample begin() {
    used.add(1);
    return Timer.start(registry);
  }

  @Override
  public void end(Timer.Sample sample) {
    used.add(-1);
    sample.stop(usage);
  }

  @Override
  public void close() {
    queued.close();
    used.close();
    if (bound != null) {
      bound.close();
    }
  }
}
