package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A fabric that has listeners only. */
class OutOfBandRefusedTest extends FabricPair {
  @Override
  String fabric() {
    return "nio";
  }

  @Test
  void aDeviceThatCannotSaysSoByName() {
    Future<RdmaOffer> refused = client.createOffer();
    assertEquals(Reason.UNSUPPORTED, reason(refused));
    assertTrue(refused.cause().getMessage().contains("nio: connects to listeners only"), refused.cause().getMessage());
    assertTrue(refused.cause().getMessage().contains("use a server"), refused.cause().getMessage());
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
