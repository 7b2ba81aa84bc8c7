package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.provider.contract.LogLines;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UnsentMessagesTest extends BusServicePair {
  private static final int MANY = 100;

  private final LogLines log = new LogLines("io.github.vertxrdma.impl.calls.BusClient");
  private String served;

  @BeforeEach
  void connectToOrders() throws Exception {
    serverVertx.eventBus().consumer("orders", m -> m.reply("ordered"));
    served = deploy("orders");
    await(
      clientVertx.deployVerticle("rdma:orders?connect", deployment(new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(300)))));
  }

  @AfterEach
  void restoreLog() {
    log.close();
  }

  private void assertTold(String words) {
    List<String> lines = log.lines().stream().filter(line -> line.startsWith("A message")).toList();
    assertTrue(!lines.isEmpty() && lines.size() < MANY / 10, lines.size() + " lines");
    assertTrue(lines.getFirst().startsWith("A message for service 'orders' was not sent: " + words), lines.getFirst());
  }

  @Test
  void bodiesThatCannotBeSent() throws Exception {
    for (int i = 0; i < MANY; i++) {
      clientVertx.eventBus().send("orders", BigInteger.TEN);
      clientVertx.eventBus().publish("orders", BigInteger.TEN);
    }
    assertTrue(
      replyFailure(clientVertx.eventBus().request("orders", BigInteger.TEN)).getMessage()
        .startsWith("cannot send a body of class java.math.BigInteger"));
    assertEquals("ordered", await(clientVertx.eventBus().request("orders", "order")).body());
    assertTold("cannot send a body of class java.math.BigInteger to a service");
  }

  @Test
  void anOutage() throws Exception {
    await(serverVertx.undeploy(served));
    until("the service is not found",
      () -> replyFailure(clientVertx.eventBus().request("orders", "order")).getMessage().contains("did not appear"));
    for (int i = 0; i < MANY; i++) {
      clientVertx.eventBus().send("orders", "order");
    }
    replyFailure(clientVertx.eventBus().request("orders", "order"));
    assertTold("service 'orders' did not appear");
  }
}
