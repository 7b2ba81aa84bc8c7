package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.devices.memory.InMemoryFabric;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class IntroducedConnectionTest extends FabricPair {
  @Override
  String fabric() {
    return MemoryVariants.INTRODUCED;
  }

  @Test
  void strategiesNameTheIntroduction() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("said"));
    RdmaConnection connection = await(client.connect("said"));
    assertTrue(connection.fabric().strategies().contains("connecting: by addresses that both nodes exchange over their control connection"),
      connection.fabric().strategies().toString());
  }

  @Test
  void aNodeConnectsToItself() throws Exception {
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("self"));
    RdmaConnection connection = await(server.connect("self"));
    assertEchoes(connection, Buffer.buffer("me"));
  }

  @Test
  void listenOnAddressFailsWithoutListeners() {
    Future<RdmaServer> refused = server.createServer().connectHandler(c -> {}).listen(SocketAddress.inetSocketAddress(0, "127.0.0.1"));
    assertEquals(Reason.UNSUPPORTED, reason(refused));
  }

  @Test
  void nodesWithAndWithoutListenersConnect() throws Exception {
    String name = "memory-mixed";
    JsonObject settings = new JsonObject().put("memory.name", name);
    InMemoryFabric.forget(name);
    Vertx withVertx = vertx();
    Vertx withoutVertx = vertx();
    try {
      Rdma with = Rdma.create(withVertx, options().setFabric(name).setSettings(settings.copy().put("side", "with")));
      await(with.createServer().connectHandler(c -> c.handler(c::write)).listen("with"));
      MemoryVariants.removeListeners(name);
      Rdma without = Rdma.create(withoutVertx, options().setFabric(name).setSettings(settings.copy().put("side", "without")));
      await(without.createServer().connectHandler(c -> c.handler(c::write)).listen("without"));
      for (RdmaConnection connection : new RdmaConnection[] {await(with.connect("without")), await(without.connect("with"))}) {
        assertEchoes(connection, Buffer.buffer("met"));
      }
    } finally {
      await(withVertx.close());
      await(withoutVertx.close());
    }
  }
}
