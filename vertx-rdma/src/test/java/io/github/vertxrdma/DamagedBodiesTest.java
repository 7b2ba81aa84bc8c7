package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.provider.contract.LogLines;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.eventbus.DeliveryOptions;
import io.vertx.core.eventbus.Message;
import io.vertx.core.json.JsonObject;
import io.vertx.core.metrics.MetricsOptions;
import io.vertx.core.spi.metrics.EventBusMetrics;
import io.vertx.core.spi.metrics.VertxMetrics;
import java.math.BigInteger;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DamagedBodiesTest extends BusServicePair {
  private static final JsonObject DAMAGED = new JsonObject().put("amount", BigInteger.TEN.pow(5000));
  private static final int MANY = 100;

  private final Set<String> handlers = ConcurrentHashMap.newKeySet();

  @Override
  Vertx vertx() {
    return Vertx.builder().with(new VertxOptions().setMetricsOptions(new MetricsOptions().setEnabled(true)))
      .withMetrics(options -> new VertxMetrics() {
        @Override
        public EventBusMetrics<String> createEventBusMetrics() {
          return new EventBusMetrics<>() {
            @Override
            public String handlerRegistered(String address) {
              handlers.add(address);
              return address;
            }

            @Override
            public void handlerUnregistered(String address) {
              handlers.remove(address);
            }
          };
        }
      }).build();
  }

  private RdmaBusClient orders() throws Exception {
    serverVertx.eventBus().consumer("orders", m -> m.reply("ordered"));
    deploy("orders");
    return connect("orders");
  }

  @Test
  void aRequestThatCannotBeReadIsRefusedBeforeTheBusWaitsForItsAnswer() throws Exception {
    RdmaBusClient bus = orders();
    DeliveryOptions patient = new DeliveryOptions().setSendTimeout(Integer.MAX_VALUE);
    assertEquals("the body of type 4 is damaged or incomplete", replyFailure(bus.request(DAMAGED, patient)).getMessage());
    assertEquals("ordered", await(bus.request("order", patient)).body());
    until("no answer is waited for by any of " + handlers,
      () -> handlers.stream().noneMatch(address -> address.startsWith("__vertx.reply")));
    assertTrue(handlers.contains("orders"), "the consumer is among those that are counted");
  }

  @Test
  void connectionStaysOpenWhenReplyCannotBeDecoded() throws Exception {
    Promise<Message<Object>> received = Promise.promise();
    serverVertx.eventBus().consumer("orders", m -> {
      if ("damaged".equals(m.body())) {
        m.reply(DAMAGED);
      } else {
        received.complete(m);
      }
    });
    deploy("orders");
    RdmaBusClient bus = connect("orders");
    Future<Message<Object>> concurrent = bus.request("order");
    Message<Object> waiting = await(received.future());
    Message<Object> damaged = await(bus.request("damaged"));
    assertThrows(IllegalArgumentException.class, damaged::body);
    waiting.reply("ordered");
    assertEquals("ordered", await(concurrent).body());
  }

  @Test
  void unreadableMessagesAreReportedInOneLine() throws Exception {
    RdmaBusClient bus = orders();
    Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    serverVertx.exceptionHandler(reported::add);
    List<String> lines;
    try (LogLines log = new LogLines("io.github.vertxrdma.impl.calls.BusServer")) {
      for (int i = 0; i < MANY; i++) {
        bus.send(DAMAGED);
        bus.publish(DAMAGED);
      }
      assertEquals("ordered", await(bus.request("order")).body());
      lines = log.lines();
    }
    assertEquals(0, reported.size());
    assertTrue(!lines.isEmpty() && lines.size() < MANY / 10, lines.size() + " lines");
    assertTrue(lines.getFirst().contains(": a message for service 'orders' was not delivered: the body of type 4 is damaged or "
      + "incomplete"),
      lines.getFirst());
  }
}
