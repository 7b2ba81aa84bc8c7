package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ReceivedBuffersTest extends FabricPair {
  private static final int MIB = 1 << 20;
  private static final Buffer MORE = Buffer.buffer("more");

  private static Buffer bytes(int size) {
    return Buffer.buffer(Pattern.bytes(size, size));
  }

  private static void assertPartsGrow(Buffer sent, Buffer received) {
    Buffer part = received.slice(0, sent.length() / 2);
    part.appendBuffer(MORE).appendBuffer(MORE);
    assertEquals(sent.getBuffer(0, sent.length() / 2).appendBuffer(MORE).appendBuffer(MORE), part);
    assertEquals(sent, received);
    assertGrows(sent, received);
  }

  private static void assertGrows(Buffer sent, Buffer received) {
    received.appendBuffer(MORE).appendString("text").appendBuffer(sent);
    assertEquals(sent.copy().appendBuffer(MORE).appendString("text").appendBuffer(sent), received);
  }

  private Future<Buffer> receive(Buffer sent, boolean releases) throws Exception {
    Promise<Buffer> received = Promise.promise();
    await(server.createServer().connectHandler(connection -> {
      if (releases) {
        connection.messageHandler(message -> received.tryComplete(message.retain().body()));
      } else {
        connection.handler(received::tryComplete);
      }
    }).listen("received"));
    await(client.connect("received")).write(sent);
    return received.future();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 64, 20_000, 300_000, 3_000_000})
  void buffersOfAConnection(int size) throws Exception {
    Buffer sent = bytes(size);
    assertPartsGrow(sent, await(receive(sent, false)));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 64, 20_000, 300_000})
  void buffersOfAMessage(int size) throws Exception {
    Buffer sent = bytes(size);
    assertGrows(sent, await(receive(sent, true)));
  }

  @Test
  void buffersOfAZeroCopyMessage() throws Exception {
    Buffer sent = bytes(MIB);
    Promise<RdmaMessage> zeroCopy = Promise.promise();
    Promise<RdmaConnection> accepted = Promise.promise();
    Promise<Buffer> back = Promise.promise();
    await(server.createServer().connectHandler(connection -> {
      accepted.complete(connection);
      connection.messageHandler(message -> {
        if (message.isZeroCopy() && !zeroCopy.future().isComplete()) {
          zeroCopy.complete(message.retain());
        }
      });
    }).listen("zero-copy"));
    RdmaConnection connection = await(client.connect("zero-copy"));
    connection.handler(back::tryComplete);
    until("a message is zero-copy", () -> {
      if (!connection.writeQueueFull()) {
        connection.write(sent);
      }
      return zeroCopy.future().isComplete();
    });
    RdmaMessage message = await(zeroCopy.future());
    assertGrows(sent, message.body());
    Buffer grown = message.body().copy();
    await(await(accepted.future()).write(message));
    assertEquals(grown, await(back.future()));
    until("no zero-copy memory is in use",
      () -> statistics(server).devices().stream().allMatch(device -> device.zeroCopyMessages() == 0));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 64, 20_000, 300_000})
  void buffersOfAService(int size) throws Exception {
    Buffer sent = bytes(size);
    Promise<Buffer> received = Promise.promise();
    serverVertx.eventBus().<Buffer>consumer("received", message -> {
      received.tryComplete(message.body());
      message.reply(sent);
    });
    await(serverVertx.deployVerticle("rdma:received",
      new DeploymentOptions().setConfig(new RdmaBusServiceOptions().setRdma(options()).toJson())));
    RdmaBusClient bus = await(client.connectBus("received"));
    Buffer reply = (Buffer) await(bus.request(sent)).body();
    assertPartsGrow(sent, await(received.future()));
    assertPartsGrow(sent, reply);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 64, 300_000})
  void buffersOfARegion(int size) throws Exception {
    Buffer sent = bytes(size);
    MemoryRegion region = await(server.createRegion(new RegionOptions().setName("received").setSize(size + 100)
      .setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    region.putRecord(0, sent);
    RemoteRegion remote = await(client.openRegion("received"));
    assertPartsGrow(sent, await(remote.readRecord(0, size)));
    await(remote.write(0, sent));
    assertPartsGrow(sent, await(remote.read(0, size)));
    assertPartsGrow(sent, await(remote.readNotify(0, size, 1)));
    assertTrue(remote.size() > size);
  }
}
