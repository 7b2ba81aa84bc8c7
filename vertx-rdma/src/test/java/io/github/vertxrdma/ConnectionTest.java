package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.github.vertxrdma.provider.contract.Pattern;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.NodeStatistics;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@OverFabrics(value = {"memory", "nio", "shm", "tcp", "rxm", "verbs:nic"},
  full = {FabricPair.ONE_RDM_LOOP, MemoryVariants.INTRODUCED, "verbs:mlx5", "verbs:connectib", "verbs:iwarp",
    "verbs:irdma", "verbs:bnxt", "verbs:ib", "verbs:roce-multiport",
    "verbs:tiny", "verbs:erdma", "verbs:t6"})
@Timeout(120)
class ConnectionTest extends FabricPair {

  @Test
  void echoesByName() throws Exception {
    echo(server, "echo");
    RdmaConnection connection = await(client.connect("echo"));
    assertEchoes(connection, Buffer.buffer("hello"));
    assertEquals(fabric(), connection.fabric().device());
    for (SocketAddress address : List.of(connection.remoteAddress(), connection.localAddress())) {
      assertTrue(address.isInetSocket() ? address.port() > 0 : address.path().startsWith(fabric() + ':'), address.toString());
    }
    await(connection.close());
  }

  @Test
  void messagesOfAllSizesBothWays() throws Exception {
    echo(server, "sizes");
    RdmaConnection connection = await(client.connect("sizes"));
    Random random = new Random(7);
    List<Buffer> sent = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      sent.add(Buffer.buffer(Pattern.bytes(i, i % 30 == 29 ? random.nextInt(3 << 20) : (int) Math.pow(2, random.nextDouble() * 17))));
    }
    ConcurrentLinkedQueue<Buffer> got = new ConcurrentLinkedQueue<>();
    Promise<Void> all = Promise.promise();
    connection.handler(m -> {
      got.add(m);
      if (got.size() == sent.size()) {
        all.complete();
      }
    });
    connection.exceptionHandler(all::tryFail);
    sent.forEach(connection::write);
    await(all.future());
    assertEquals(sent, List.copyOf(got));
  }

  @Test
  void aPausedReaderHoldsTheWriterBack() throws Exception {
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    AtomicInteger got = new AtomicInteger();
    Promise<Integer> ended = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      c.handler(m -> got.incrementAndGet()).endHandler(v -> ended.complete(got.get())).pause();
      accepted.add(c);
    }).listen("slow"));
    RdmaConnection connection = await(client.connect("slow")).setWriteQueueMaxSize(100_000);
    int sent = 300;
    for (int i = 0; i < sent; i++) {
      connection.write(Buffer.buffer(new byte[10_000]));
    }
    // This connection stays full for a long time, like the new one: the window limits sent bytes.
    await(client.connect("slow"));
    Promise<Void> drained = Promise.promise();
    connection.drainHandler(v -> drained.tryComplete());
    assertTrue(connection.writeQueueFull());
    assertEquals(0, got.get());
    accepted.take().resume();
    await(drained.future());
    await(connection.end());
    assertEquals(sent, await(ended.future()));
  }

  @Test
  void aFlushCompletesWhenThePeerHasWhatWasWritten() throws Exception {
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    AtomicInteger read = new AtomicInteger();
    await(server.createServer().connectHandler(c -> {
      c.pause().handler(m -> read.incrementAndGet());
      accepted.add(c);
    }).listen("flushed"));
    RdmaConnection connection = await(client.connect("flushed"));
    RdmaConnection peer = accepted.take();
    await(connection.flush());
    Future<Void> first = write(connection, 5);
    Future<Void> all = write(connection, 300);
    peer.resume();
    await(first);
    await(all);
    Promise<Void> last = Promise.promise();
    peer.handler(m -> {
      if (read.incrementAndGet() == 306) {
        last.tryComplete();
      }
    });
    connection.write(Buffer.buffer("last"));
    await(connection.flush());
    Future<Void> closed = connection.flush();
    await(connection.close());
    await(closed);
    await(last.future());
    assertEquals(Reason.CLOSED, reason(connection.flush()));
  }

  private static Future<Void> write(RdmaConnection connection, int messages) {
    for (int i = 0; i < messages; i++) {
      connection.write(Buffer.buffer(new byte[i % 60 == 4 ? 200_000 : 2_000]));
    }
    return connection.flush();
  }

  @Test
  void privateDataGoesBothWaysAndAReasonComesBack() throws Exception {
    await(server.createServer().handshakeHandler(r -> {
      if (r.privateData().toString().equals("let me in")) {
        r.accept(Buffer.buffer("welcome"));
      } else {
        r.reject("not you");
      }
    }).connectHandler(c -> c.handler(c::write)).listen("door"));
    RdmaConnection connection = await(client.connect("door", new RdmaConnectOptions().setPrivateData(Buffer.buffer("let me in"))));
    assertEquals("welcome", connection.privateData().toString());
    Future<RdmaConnection> refused = client.connect("door");
    assertEquals(Reason.REJECTED, reason(refused));
    assertTrue(refused.cause().getMessage().contains("not you"), refused.cause().getMessage());
  }

  @Test
  void missingNameIsNamed() {
    Future<RdmaConnection> none = client.connect("nobody", new RdmaConnectOptions().setLookupTimeout(Duration.ofMillis(300)));
    assertEquals(Reason.NOT_FOUND, reason(none));
    assertTrue(none.cause().getMessage().contains("nobody"), none.cause().getMessage());
  }

  /** Only writes fail that the reader has not received. */
  @Test
  void anOrderlyCloseByTheReaderIsNoFailureOfTheWriter() throws Exception {
    BlockingQueue<RdmaConnection> accepted = new LinkedBlockingQueue<>();
    await(server.createServer().connectHandler(c -> accepted.add(c.pause())).listen("leaves"));
    ConcurrentLinkedQueue<String> events = new ConcurrentLinkedQueue<>();
    Promise<Void> closed = Promise.promise();
    try (LogLines log = new LogLines("io.github.vertxrdma")) {
      // Writes of another thread may run after the close, and fail then.
      Promise<List<Future<Void>>> written = Promise.promise();
      clientVertx.runOnContext(v -> client.connect("leaves").map(connection -> {
        connection.handler(message -> {});
        connection.exceptionHandler(cause -> events.add("failure: " + cause)).endHandler(end -> events.add("end")).closeHandler(end -> {
          events.add("close");
          closed.complete();
        });
        List<Future<Void>> all = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
          all.add(connection.write(Buffer.buffer(new byte[40_000])).onFailure(cause -> events.add("write")));
        }
        return all;
      }).onComplete(written));
      List<Future<Void>> writes = await(written.future());
      RdmaConnection reader = accepted.take();
      reader.close();
      await(closed.future());
      List<Future<Void>> failed = writes.stream().filter(Future::failed).toList();
      assertTrue(failed.size() > 100, failed.size() + " writes failed");
      for (Future<Void> write : failed) {
        assertEquals(Reason.CLOSED, reason(write));
      }
      assertEquals("close", events.stream().reduce((before, last) -> last).orElse(""));
      events.removeIf("write"::equals);
      assertEquals(List.of("end", "close"), List.copyOf(events));
      assertEquals(List.of(), log.warnings());
    }
    NodeStatistics statistics = statistics(client);
    assertEquals(0, statistics.devices().stream().mapToLong(DeviceStatistics::lost).sum());
    assertEquals(List.of(), statistics.errors());
  }

  enum Departure { CLOSE, SHUTDOWN, RDMA_CLOSE, VERTX_CLOSE, END_AND_VERTX_CLOSE }

  /** The peer receives all messages, their end and the close, and no failure; nor does this side. */
  @ParameterizedTest
  @EnumSource
  void anOrderlyDepartureIsNoFailure(Departure departure) throws Exception {
    ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    Promise<Integer> ended = Promise.promise();
    Promise<Void> closed = Promise.promise();
    await(server.createServer().connectHandler(c -> {
      int[] read = {0};
      c.exceptionHandler(cause -> failures.add("who stayed: " + cause));
      c.handler(message -> {
        read[0]++;
        c.pause();
        serverVertx.setTimer(2, t -> c.resume());
      });
      c.endHandler(v -> ended.complete(read[0]));
      c.closeHandler(v -> closed.complete());
    }).listen("stays"));
    await(server.createRegion(new RegionOptions().setName("kept").setSize(64).setAccess(RegionAccess.READ)));
    await(await(client.openRegion("kept")).close());
    RdmaConnection connection = await(client.connect("stays"));
    Promise<Void> left = Promise.promise();
    connection.exceptionHandler(cause -> failures.add("who left: " + cause));
    connection.closeHandler(v -> left.complete());
    for (int i = 0; i < 40; i++) {
      connection.write(Buffer.buffer(new byte[i % 4 == 3 ? 50_000 : 16_000]));
    }
    switch (departure) {
      case CLOSE -> await(connection.close());
      case SHUTDOWN -> await(connection.shutdown(Duration.ofSeconds(20)));
      case RDMA_CLOSE -> await(client.close());
      case VERTX_CLOSE -> await(clientVertx.close());
      case END_AND_VERTX_CLOSE -> {
        await(connection.end());
        await(clientVertx.close());
      }
      default -> throw new AssertionError(departure);
    }
    assertEquals(40, await(ended.future()));
    await(closed.future());
    await(left.future());
    assertEquals(List.of(), List.copyOf(failures));
    until("no link is open", () -> departure.compareTo(Departure.RDMA_CLOSE) < 0
      || statistics(server).devices().stream().allMatch(device -> device.connectionCount() == 0));
    NodeStatistics statistics = statistics(server);
    assertEquals(0, statistics.devices().stream().mapToLong(DeviceStatistics::lost).sum(), statistics.errors().toString());
    assertEquals(List.of(), statistics.errors());
  }
}
