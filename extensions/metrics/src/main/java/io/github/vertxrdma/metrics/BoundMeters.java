package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashSet;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Meters that read their values from one object. Removed with the object: the registry would return the same meters for a later object.
 *
 * @param <T> type of the object
 */
final class BoundMeters<T> implements AutoCloseable {
  private final MeterRegistry registry;
  private final Tags tags;
  private final T source;
  private final Set<Meter> meters = new HashSet<>();

  BoundMeters(MeterRegistry registry, Tags tags, T source) {
    this.registry = registry;
    this.tags = tags;
    this.source = source;
  }

  void gauge(String name, String description, ToDoubleFunction<T> value) {
    add(Gauge.builder(name, source, value).description(description).tags(tags).strongReference(true).register(registry));
  }

  void counter(String name, String description, ToDoubleFunction<T> value) {
    add(FunctionCounter.builder(name, source, value).description(description).tags(tags).register(registry));
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
