package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.vertxrdma.provider.devices.relay.Relay;
import io.github.vertxrdma.referee.Plant;
import io.github.vertxrdma.referee.Use;
import io.github.vertxrdma.referee.WordRound;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Histories of clients whose connections with the owner are cut, at one end or both. */
@Timeout(120)
class CutWordTest extends FabricPair {
  private static final int ROUNDS = 3;
  private static final int MANY_ROUNDS = 300;
  private static final List<Integer> CUTS = List.of(30, 90, 200, 280);

  private interface Cut {
    void happen(Relay relay) throws IOException;
  }

  @Override
  String fabric() {
    return "nio";
  }

  /** A connect that is cut without a report must not delay a round. */
  @Override
  RdmaOptions options() {
    return super.options().setConnectTimeout(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @EnumSource(Use.class)
  void everyHistoryIsRight(Use use) throws Exception {
    play(use, ROUNDS);
  }

  @ParameterizedTest
  @EnumSource(Use.class)
  @Tag("long")
  @Timeout(900)
  void soAreManyMore(Use use) throws Exception {
    play(use, MANY_ROUNDS);
  }

  private void play(Use use, int rounds) throws Exception {
    long first = Long.getLong("seed", System.nanoTime());
    for (long seed = first; seed < first + rounds; seed++) {
      WordRound round = new WordRound(serverVertx, server, use, seed);
      RdmaServer grants = await(
        server.createServer().connectHandler(connection -> connection.handler(asked -> grant(connection, round.region())))
          .listen(SocketAddress.inetSocketAddress(0, "127.0.0.1")));
      try (Relay relay = new Relay(grants.actualPort())) {
        Random random = new Random(seed);
        List<Cut> cuts = List.of(Relay::reset, Relay::end, Relay::halfOpen, way -> way.resetAfter(random.nextInt(200)));
        CUTS.forEach(calls -> round.when(calls, () -> cut(relay, cuts.get(random.nextInt(cuts.size())))));
        assertNull(
          round.openedBy(node -> () -> granted(node, relay)).play(clientVertx, () -> Rdma.create(clientVertx, options()), Plant.NOTHING),
          use + ", seed " + seed);
      }
      await(grants.close());
    }
  }

  private static void grant(RdmaConnection to, MemoryRegion word) {
    to.grant(word).onFailure(revoked -> to.close());
  }

  private static void cut(Relay relay, Cut cut) {
    try {
      relay.calm();
      cut.happen(relay);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Future<RemoteRegion> granted(Rdma node, Relay relay) {
    return node.connect(SocketAddress.inetSocketAddress(relay.port(), "127.0.0.1")).compose(connection -> {
      Promise<RemoteRegion> granted = Promise.promise();
      connection.grantHandler(granted::tryComplete).closeHandler(v -> granted.tryFail("closed"));
      connection.write(Buffer.buffer("the word"));
      return granted.future();
    });
  }
}
