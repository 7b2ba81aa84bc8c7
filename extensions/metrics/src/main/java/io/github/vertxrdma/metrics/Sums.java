package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

/**
 * Gauges of parts of a Vert.x that share name and tags: its clients, or a server and a later one on the same port. A registry has one gauge
 * for each name and tags, which shows the sum of the parts that have not ended. Thread-safe.
 */
final class Sums {
  /** Sums of each registry, which several Vert.x may use. They do not refer to the registry. */
  private static final Map<MeterRegistry, Sums> ALL = Collections.synchronizedMap(new WeakHashMap<>());

  private final Map<Key, Set<Part>> parts = new ConcurrentHashMap<>();

  private record Key(String name, Tags tags) {
  }

  /** Value of one part, included in the sum until it is closed. */
  static final class Part implements AutoCloseable {
    private final Set<Part> all;
    private final LongAdder number = new LongAdder();

    private Part(Set<Part> all) {
      this.all = all;
      all.add(this);
    }

    void add(long more) {
      number.add(more);
    }

    @Override
    public void close() {
      all.remove(this);
    }
  }

  private Sums() {
  }

  /** Adds a value to the gauge of a name. */
  static Part part(MeterRegistry registry, String name, Tags tags) {
    return of(registry).part(registry, new Key(name, tags), Sums::sum);
  }

  /**
   * Adds a size to the gauge of a name, which shows the used fraction of the total size.
   *
   * @param used name of the gauge of the used amount
   */
  static Part size(MeterRegistry registry, String name, String used, Tags tags) {
    Sums sums = of(registry);
    return sums.part(registry, new Key(name, tags), sizes -> (double) sum(sums.parts.get(new Key(used, tags))) / Math.max(1, sum(sizes)));
  }

  private static Sums of(MeterRegistry registry) {
    return ALL.computeIfAbsent(registry, r -> new Sums());
  }

  private Part part(MeterRegistry registry, Key key, ToDoubleFunction<Set<Part>> value) {
    return new Part(parts.computeIfAbsent(key, k -> {
      Set<Part> none = ConcurrentHashMap.newKeySet();
      Gauge.builder(key.name, none, value).tags(key.tags).strongReference(true).register(registry);
      return none;
    }));
  }

  private static long sum(Set<Part> parts) {
    return parts.stream().mapToLong(part -> part.number.sum()).sum();
  }
}
