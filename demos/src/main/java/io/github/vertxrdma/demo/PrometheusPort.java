package io.github.vertxrdma.demo;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.metrics.MicrometerMetrics;
import io.github.vertxrdma.metrics.RdmaMeters;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.spi.VertxMetricsFactory;
import java.time.Duration;

/** Serves a node's meters, those of RDMA and those of Vert.x, in the text format of Prometheus. */
final class PrometheusPort {
  private static final String PATH = "/metrics";
  private static final Duration PERIOD = Duration.ofSeconds(1);

  private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final String host;
  private final int port;

  /** @param place host:port */
  PrometheusPort(String place) {
    int colon = place.lastIndexOf(':');
    host = place.substring(0, colon);
    port = Integer.parseInt(place.substring(colon + 1));
  }

  /** The registry of Vert.x's own meters; it has to be given one when it is made. */
  VertxMetricsFactory ofVertx() {
    return new MicrometerMetrics(registry);
  }

  /** Serves until the Vert.x is closed. @return the port */
  Future<Integer> serve(Vertx vertx, Rdma rdma) {
    RdmaMeters.bind(vertx, rdma, registry, PERIOD, Tags.empty());
    return vertx.createHttpServer().requestHandler(this::answer).listen(port, host).map(HttpServer::actualPort);
  }

  private void answer(HttpServerRequest request) {
    if (request.path().equals(PATH)) {
      request.response().putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8").end(registry.scrape());
    } else {
      request.response().setStatusCode(404).end("Meters are at " + PATH + "\n");
    }
  }
}
