package io.github.vertxrdma.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.Vertx;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Meters that Prometheus reads of a node. */
@Timeout(60)
class PrometheusPortTest {
  @Test
  void metersInItsTextFormat() throws Exception {
    PrometheusPort prometheus = new PrometheusPort("127.0.0.1:0");
    Vertx vertx = Vertx.builder().withMetrics(prometheus.ofVertx()).build();
    try {
      int port = DemoNode.await(prometheus.serve(vertx, Rdma.create(vertx, new RdmaOptions().setFabric("nio")
        .setDirectory(new DirectoryOptions().setType(DirectoryOptions.SAME_HOST).setGroup(UUID.randomUUID().toString())))));
      URI base = URI.create("http://127.0.0.1:" + port);
      HttpURLConnection meters = (HttpURLConnection) base.resolve("/metrics").toURL().openConnection();
      String text = new String(meters.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals("text/plain; version=0.0.4; charset=utf-8", meters.getContentType());
      for (String name : new String[] {"vertx_rdma_members", "vertx_rdma_regions_bytes", "vertx_rdma_refused_total",
        "vertx_eventbus_delivered_total"}) {
        assertTrue(text.contains("\n" + name + " "), () -> name + " is not in\n" + text);
      }
      assertEquals(404, ((HttpURLConnection) base.toURL().openConnection()).getResponseCode());
    } finally {
      DemoNode.await(vertx.close());
    }
  }
}
