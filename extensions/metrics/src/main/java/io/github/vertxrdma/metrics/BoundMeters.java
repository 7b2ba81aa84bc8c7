package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

/**
 * Meters that read their values from one source. Removed with their owner: the registry would return the same meters for a later one.
 *
 * @param <T> type of the source's values
 */
final class BoundMeters<T> implements AutoCloseable {
  private final MeterRegistry registry;
  private final Tags tags;
  private final Supplier<T> source;
  private final Set<Meter> meters = new HashSet<>();

  /** @param source returns null before the first sample; meters are then 0 */
  BoundMeters(MeterRegistry registry, Tags tags, Supplier<T> source) {
    this.registry = registry;
    this.tags = tags;
    this.source = source;
  }

  void gauge(String name, String description, ToDoubleFunction<T> value) {
    add(Gauge.builder(name, () -> read(value)).description(description).tags(tags).register(registry));
  }

  void counter(String name, String description, ToDoubleFunction<T> value) {
    counter(name, description, Tags.empty(), value);
  }

  void counter(String name, String description, Tags more, ToDoubleFunction<T> value) {
    add(FunctionCounter.builder(name, this, bound -> bound.read(value)).description(description).tags(tags).tags(more).register(registry));
  }

  private double read(ToDoubleFunction<T> value) {
    T now = source.get();
    return now == null ? 0 : value.applyAsDouble(now);
  }

  void add(Meter meter) {
    meters.add(meter);
  }

  @Override
  public void close() {
    meters.forEach(registry::remove);
    meters.clear();
  }
}
