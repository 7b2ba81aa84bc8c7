package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.spi.metrics.EventBusMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class FailedVerticleTest extends BusServicePair {
  private static final String REFUSED = "refused";

  private static final class Refusing implements VertxMetrics, EventBusMetrics<Object> {
    @Override
    public EventBusMetrics<?> createEventBusMetrics() {
      return this;
    }

    @Override
    public Object handlerRegistered(String address) {
      if (address.equals(REFUSED)) {
        throw new IllegalStateException("on purpose");
      }
      return address;
    }
  }

  @Override
  Vertx vertx() {
    return Vertx.builder().with(vertxOptions().setMetricsOptions(new MetricsOptions().setEnabled(true)))
      .withMetrics(options -> new Refusing()).build();
  }

  private long connections() {
    return statistics(server).devices().stream().mapToLong(device -> device.connections().size()).sum();
  }

  @Test
  void aClientWhoseConsumerFailsIsClosed() throws Exception {
    deploy("orders");
    await(client.directory());
    assertEquals("on purpose",
      cause(clientVertx.deployVerticle("rdma:orders?connect", deployment(new RdmaBusClientOptions().setAddress(REFUSED))))
        .getMessage());
    until("its connection is closed", () -> connections() == 0);
    assertEquals(ReplyFailure.NO_HANDLERS, replyFailure(clientVertx.eventBus().request(REFUSED, "anybody?")).failureType());
  }
}
