package io.github.vertxrdma.metrics;

import io.github.vertxrdma.Rdma;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import io.vertx.ext.healthchecks.HealthChecks;
import io.vertx.ext.healthchecks.Status;
import io.vertx.micrometer.MicrometerMetricsFactory;
import java.time.Duration;

/** The examples in docs/observing.adoc. */
final class Example {
  private Example() {
  }

  // tag::all[]
  static Rdma measured(MeterRegistry registry) {
    Vertx vertx = Vertx.builder().withMetrics(new MicrometerMetricsFactory(registry)).build();
    Rdma rdma = Rdma.create(vertx);
    RdmaMeters.bind(rdma, registry, Duration.ofSeconds(5), Tags.of("application", "orders"));
    return rdma;
  }
  // end::all[]

  // tag::health[]
  static HealthChecks health(Vertx vertx, Rdma rdma) {
    // A report takes up to 2 s.
    return HealthChecks.create(vertx).register("rdma", 3000, promise -> rdma.health()
      .map(health -> health.up() ? Status.OK(health.toJson()) : Status.KO(health.toJson())).onComplete(promise));
  }
  // end::health[]
}
