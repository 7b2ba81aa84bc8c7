package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class MemoryOutOfBandTest extends FabricPair {
  @Override
  String fabric() {
    return "memory-oob";
  }

  @Override
  RdmaOptions options() {
    RdmaOptions options = super.options();
    return options.setSettings(options.getSettings().copy().put("memory.name", fabric()));
  }

  private static int endpoints() {
    return InMemoryFabric.named("memory-oob").openEndpoints();
  }

  @Test
  void closedOfferReleasesItsQueuePair() throws Exception {
    until("those of earlier tests are released", () -> endpoints() == 0);
    RdmaOffer a = await(server.createOffer());
    assertEquals(1, endpoints());
    await(a.close());
    until("it is released", () -> endpoints() == 0);
    await(server.createOffer());
    await(server.close());
    until("its Rdma releases it", () -> endpoints() == 0);
  }

  @Test
  void offerReleasesItsQueuePairWhenPeerNeverConnects() throws Exception {
    RdmaOffer a = await(server.createOffer(new RdmaOfferOptions().setPeerTimeout(Duration.ofMillis(100))));
    RdmaOffer b = await(client.createOffer());
    Future<RdmaConnection> never = a.connect(b.token());
    reason(never);
    until("one is left", () -> endpoints() == 1);
    assertEquals(Buffer.buffer(a.token().getBytes()), a.token());
  }

  @Test
  void offerFailsOnDeviceWithListenersOnly() {
    Future<RdmaOffer> refused = Rdma.create(clientVertx, options().setFabric("nio")).createOffer();
    assertEquals(Reason.UNSUPPORTED, reason(refused));
    assertTrue(refused.cause().getMessage().contains("nio: it can only connect to listeners"), refused.cause().getMessage());
    assertTrue(refused.cause().getMessage().contains("Use a server"), refused.cause().getMessage());
  }

  @Test
  void optionsAreJson() {
    RdmaOfferOptions options = new RdmaOfferOptions().setFabric("verbs:rxe0").setPrivateData(Buffer.buffer("me"))
      .setPeerTimeout(Duration.ofMillis(7));
    RdmaOfferOptions read = new RdmaOfferOptions(new JsonObject(options.toJson().encode()));
    assertEquals("verbs:rxe0", read.getFabric());
    assertEquals("me", read.getPrivateData().toString());
    assertEquals(7, read.getPeerTimeout().toMillis());
  }
}
