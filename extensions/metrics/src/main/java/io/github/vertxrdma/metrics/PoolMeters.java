package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.vertx.core.spi.metrics.PoolMetrics;
import java.util.concurrent.atomic.LongAdder;

/** One pool: of worker threads, of connections. Thread-safe. */
final class PoolMeters implements PoolMetrics<Timer.Sample, Timer.Sample> {
  private final MeterRegistry registry;
  private final LongAdder queued = new LongAdder();
  private final LongAdder used = new LongAdder();
  private final Timer waiting;
  private final Timer usage;

  /** @param size 0 or less if it has no bound */
  PoolMeters(MeterRegistry registry, Tags tags, int size) {
    this.registry = registry;
    Gauge.builder("vertx.pool.queue.pending", queued, LongAdder::sum).tags(tags).strongReference(true).register(registry);
    Gauge.builder("vertx.pool.in.use", used, LongAdder::sum).tags(tags).strongReference(true).register(registry);
    if (size > 0) {
      Gauge.builder("vertx.pool.ratio", used, u -> (double) u.sum() / size).tags(tags).strongReference(true).register(registry);
    }
    waiting = Timer.builder("vertx.pool.queue.time").tags(tags).register(registry);
    usage = Timer.builder("vertx.pool.usage").tags(tags).register(registry);
  }

  @Override
  public Timer.Sample enqueue() {
    queued.increment();
    return Timer.start(registry);
  }

  @Override
  public void dequeue(Timer.Sample sample) {
    queued.decrement();
    sample.stop(waiting);
  }

  @Override
  public Timer.Sample begin() {
    used.increment();
    return Timer.start(registry);
  }

  @Override
  public void end(Timer.Sample sample) {
    used.decrement();
    sample.stop(usage);
  }
}
