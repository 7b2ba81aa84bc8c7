package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.VertxOptions;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.TcpClientConfig;
import io.vertx.core.net.TcpServerConfig;
import io.vertx.core.spi.VertxMetricsFactory;
import io.vertx.core.spi.metrics.EventBusMetrics;
import io.vertx.core.spi.metrics.PoolMetrics;
import io.vertx.core.spi.metrics.TransportMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;

/**
 * Reports the metrics SPI of Vert.x 5.1 to Micrometer: event bus, TCP servers and clients (those over a fabric too), and pools. The meters
 * have the names of vertx-micrometer-metrics, whose latest release was made for the SPI of 5.0: this class is removed when there is one for
 * 5.1.
 *
 * <pre>
 * Vertx vertx = Vertx.builder().withMetrics(new MicrometerMetrics(registry)).build();
 * </pre>
 */
public final class MicrometerMetrics implements VertxMetricsFactory {
  private final MeterRegistry registry;

  public MicrometerMetrics(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public VertxMetrics metrics(VertxOptions options) {
    return new Meters();
  }

  /** Creates the meters of each part of a Vert.x. */
  private final class Meters implements VertxMetrics {
    @Override
    public EventBusMetrics<?> createEventBusMetrics() {
      return new EventBusMeters(registry);
    }

    @Override
    public TransportMetrics<?> createTcpServerMetrics(TcpServerConfig config, String protocol, SocketAddress local) {
      return new TransportMeters(registry, "vertx.net.server", Tags.of("local", local.toString()));
    }

    @Override
    public TransportMetrics<?> createTcpClientMetrics(TcpClientConfig config, String protocol) {
      return new TransportMeters(registry, "vertx.net.client", Tags.empty());
    }

    @Override
    public PoolMetrics<?, ?> createPoolMetrics(String type, String name, int size) {
      // A pool of the application's own threads has no name.
      return new PoolMeters(registry, Tags.of("pool.type", type, "pool.name", name == null ? "" : name), size);
    }

    @Override
    public boolean isMetricsEnabled() {
      return true;
    }
  }
}
