package io.github.vertxrdma.metrics;

import io.github.vertxrdma.Rdma;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.time.Duration;

/** The example in docs/observing.adoc, compiled. */
final class Example {
  private Example() {
  }

  // tag::all[]
  static Rdma measured(MeterRegistry registry) {
    Vertx vertx = Vertx.builder().withMetrics(new MicrometerMetrics(registry)).build();
    Rdma rdma = Rdma.create(vertx);
    RdmaMeters.bind(rdma, registry, Duration.ofSeconds(5), Tags.of("application", "orders"));
    return rdma;
  }
  // end::all[]
}
