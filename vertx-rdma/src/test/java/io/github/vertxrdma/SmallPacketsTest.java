package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.impl.support.RefusingDevice;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import org.junit.jupiter.api.Test;

/** A device with messages of at most 8 KiB, less than the buffers of the options. */
class SmallPacketsTest extends FabricPair {
  private static final String FABRIC = "packets";
  private static final int PACKET = 8192;

  private static final class Packets extends RefusingDevice {
    Packets(Device raw) {
      super(raw);
    }

    @Override
    protected Limits change(Limits limits) {
      return new Limits(PACKET, limits.maxTransferSize(), limits.inlineSize(), limits.sendDepth(), limits.receiveDepth(),
        limits.scatterGather(),
        limits.readsInFlight(), limits.privateData(), limits.maxRegionSize(), limits.maxRegions(), limits.completionQueueDepth(),
        limits.keySize());
    }

    @Override
    protected int refusal(WorkRequest request) {
      return !request.operation().isOneSided() && request.length() > PACKET ? Status.LIMIT : Status.OK;
    }
  }

  @Override
  String fabric() {
    return FABRIC;
  }

  @Override
  RdmaOptions options() {
    InMemoryFabric.named(FABRIC).inFront(Packets::new);
    return super.options().setSettings(new JsonObject().put("memory.name", FABRIC));
  }

  @Test
  void messagesOfAllSizesPass() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("echo"));
    RdmaConnection connection = await(client.connect("echo"));
    for (int size : new int[] {0, 1, PACKET - 33, PACKET - 32, PACKET - 31, PACKET, 2 * PACKET, 16 << 10, 100_000, 1 << 20}) {
      Promise<Buffer> echoed = Promise.promise();
      connection.handler(echoed::complete);
      Buffer message = Buffer.buffer(BusServicePair.random(size));
      await(connection.write(message));
      assertEquals(message, await(echoed.future()), size + " bytes");
    }
    await(connection.shutdown());
  }
}
