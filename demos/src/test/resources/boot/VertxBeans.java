package example;

import io.github.vertxrdma.HealthReport;
import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.metrics.RdmaMeters;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import io.vertx.micrometer.MicrometerMetricsFactory;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

// tag::beans[]
/** Vert.x and RDMA as beans of Spring Boot, with its meters and health. */
@Configuration(proxyBeanMethods = false)
class VertxBeans {
  @Bean
  Vertx vertx(MeterRegistry registry) throws Exception {
    return Vertx.builder().withMetrics(new MicrometerMetricsFactory(registry)).buildClustered().await(60, TimeUnit.SECONDS);
  }

  @Bean
  Rdma rdma(Vertx vertx, MeterRegistry registry) {
    Rdma rdma = Rdma.create(vertx);
    RdmaMeters.bind(rdma, registry, Duration.ofSeconds(5), Tags.of("application", "orders"));
    return rdma;
  }

  @Bean
  HealthIndicator rdmaHealthIndicator(Rdma rdma) {
    return () -> {
      HealthReport report = rdma.health().await();
      return (report.up() ? Health.up() : Health.down()).withDetail("problems", report.problems()).build();
    };
  }

  /** Lets the end of the context wait for Vert.x. */
  @Bean
  DisposableBean closing(Vertx vertx) {
    return () -> vertx.close().await(60, TimeUnit.SECONDS);
  }
}
// end::beans[]
