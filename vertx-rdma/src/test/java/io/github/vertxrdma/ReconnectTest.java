package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.directory.ServiceEntry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ReconnectTest extends FabricPair {
  private final List<RdmaConnection> accepted = new CopyOnWriteArrayList<>();
  private final List<RdmaConnection> others = new CopyOnWriteArrayList<>();

  private static RdmaConnectOptions attempts(int attempts) {
    return new RdmaConnectOptions().setReconnectAttempts(attempts).setReconnectInterval(Duration.ofMillis(1))
      .setLookupTimeout(Duration.ofMillis(20));
  }

  private RdmaServer listen() throws Exception {
    return await(server.createServer().connectHandler(c -> {
      accepted.add(c);
      c.endHandler(v -> c.end());
    }).listen("orders"));
  }

  private int acceptedAfterOneMore() throws Exception {
    await(await(client.connect("orders", attempts(-1))).close());
    return accepted.size();
  }

  @Test
  void aServerThatComesLaterIsFound() throws Exception {
    Future<RdmaConnection> patient = client.connect("orders", attempts(-1));
    assertEquals(Reason.NOT_FOUND, reason(client.connect("orders", attempts(0))));
    listen();
    await(await(patient).close());
  }

  @Test
  void attemptsAreCounted() throws Exception {
    RdmaServer gone = listen();
    ServiceEntry entry = await(await(client.directory()).awaitServices("orders", Duration.ofSeconds(20))).getFirst();
    await(gone.close());
    long before = await(client.statistics()).connectsFailed();
    reason(client.connect(entry, attempts(3)));
    assertEquals(4, await(client.statistics()).connectsFailed() - before);
  }

  @Test
  void aRefusalIsFinal() throws Exception {
    List<String> asked = new CopyOnWriteArrayList<>();
    await(server.createServer().handshakeHandler(handshake -> {
      asked.add(handshake.nodeId());
      handshake.reject("not today");
    }).connectHandler(accepted::add).listen("orders"));
    assertEquals(Reason.REJECTED, reason(client.connect("orders", attempts(-1))));
    assertEquals(1, asked.size());
  }

  private enum Departure { CLOSE, CUT }

  @ParameterizedTest
  @EnumSource
  void anotherFollowsWhatTheOtherSideEnded(Departure departure) throws Exception {
    listen();
    RdmaConnection first = await(client.connect("orders", attempts(-1)));
    Promise<RdmaConnection> second = Promise.promise();
    Promise<RdmaConnection> third = Promise.promise();
    first.reconnectHandler(next -> {
      next.reconnectHandler(third::complete);
      second.complete(next);
    });
    until("it is accepted", () -> accepted.size() == 1);
    end(departure, accepted.getFirst());
    assertNotSame(first, await(second.future()));
    until("the second is accepted", () -> accepted.size() == 2);
    end(departure, accepted.get(1));
    await(third.future());
    until("the third is accepted", () -> accepted.size() == 3);
  }

  private static void end(Departure departure, RdmaConnection connection) {
    switch (departure) {
      case CLOSE -> connection.close();
      case CUT -> connection.shutdown(Duration.ZERO);
      default -> throw new AssertionError(departure);
    }
  }

  @Test
  void theHandlerMayComeLate() throws Exception {
    listen();
    RdmaConnection connection = await(client.connect("orders", attempts(-1)));
    until("it is accepted", () -> accepted.size() == 1);
    Promise<Void> over = Promise.promise();
    connection.closeHandler(over::complete);
    accepted.getFirst().close();
    await(over.future());
    Promise<RdmaConnection> second = Promise.promise();
    connection.reconnectHandler(second::complete);
    await(second.future());
  }

  private enum OwnEnd { END, CLOSE, SHUTDOWN, NO_HANDLER }

  @ParameterizedTest
  @EnumSource
  void noneFollowsWhatThisSideEnded(OwnEnd ending) throws Exception {
    listen();
    RdmaConnection connection = await(client.connect("orders", attempts(-1)));
    Promise<Void> over = Promise.promise();
    connection.closeHandler(over::complete);
    connection.reconnectHandler(others::add);
    until("it is accepted", () -> accepted.size() == 1);
    switch (ending) {
      case END -> {
        await(connection.end());
        accepted.getFirst().close();
      }
      case CLOSE -> connection.close();
      case SHUTDOWN -> connection.shutdown();
      case NO_HANDLER -> {
        connection.reconnectHandler(null);
        accepted.getFirst().close();
      }
      default -> throw new AssertionError(ending);
    }
    await(over.future());
    assertEquals(2, acceptedAfterOneMore());
    assertEquals(List.of(), others);
  }

  @Test
  void nothingMovesOver() throws Exception {
    listen();
    List<String> arrived = new CopyOnWriteArrayList<>();
    RdmaConnection first = await(client.connect("orders", attempts(-1)));
    Promise<RdmaConnection> second = Promise.promise();
    first.reconnectHandler(second::complete);
    until("it is accepted", () -> accepted.size() == 1);
    accepted.getFirst().pause();
    for (int i = 0; i < 1_000; i++) {
      first.write(Buffer.buffer(new byte[10_000]));
    }
    Future<Void> flushed = first.flush();
    Future<Buffer> asked = first.request(Buffer.buffer("price"));
    accepted.getFirst().shutdown(Duration.ZERO);
    RdmaConnection next = await(second.future());
    assertThrows(Exception.class, () -> await(flushed));
    assertThrows(Exception.class, () -> await(asked));
    assertThrows(Exception.class, () -> await(first.write(Buffer.buffer("late"))));
    until("the second is accepted", () -> accepted.size() == 2);
    accepted.get(1).handler(message -> arrived.add(message.toString()));
    await(next.write(Buffer.buffer("new")));
    await(next.end());
    until("it has arrived", () -> !arrived.isEmpty());
    assertEquals(List.of("new"), arrived);
  }

  @Test
  void failureOfTheLastAttemptIsReported() throws Exception {
    RdmaServer gone = listen();
    RdmaConnection connection = await(client.connect("orders", attempts(2)));
    List<Reason> heard = new CopyOnWriteArrayList<>();
    connection.exceptionHandler(cause -> heard.add(((RdmaException) cause).reason()));
    connection.reconnectHandler(others::add);
    until("it is accepted", () -> accepted.size() == 1);
    await(gone.close());
    until("it is told why", () -> heard.contains(Reason.NOT_FOUND) || heard.contains(Reason.UNREACHABLE));
    assertEquals(List.of(), others);
  }

  @Test
  void aConnectionThatLastedNoTimeIsFollowedAfterAPause() throws Exception {
    listen();
    RdmaConnection connection = await(client.connect("orders", attempts(-1).setReconnectInterval(Duration.ofDays(1))));
    Promise<Void> over = Promise.promise();
    connection.closeHandler(over::complete);
    connection.reconnectHandler(others::add);
    until("it is accepted", () -> accepted.size() == 1);
    accepted.getFirst().close();
    await(over.future());
    assertEquals(2, acceptedAfterOneMore());
    assertEquals(List.of(), others);
  }

  /** @param search milliseconds; with the longer one an attempt is in progress when the verticle ends */
  @ParameterizedTest
  @ValueSource(longs = {20, 20_000})
  void theEndOfTheVerticleEndsTheAttempts(long search) throws Exception {
    RdmaServer gone = listen();
    Promise<RdmaConnection> made = Promise.promise();
    String id = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        return client.connect("orders", attempts(-1).setLookupTimeout(Duration.ofMillis(search))).onComplete(made);
      }
    }));
    Promise<Void> over = Promise.promise();
    await(made.future()).closeHandler(over::complete).reconnectHandler(others::add);
    until("it is accepted", () -> accepted.size() == 1);
    await(gone.close());
    await(over.future());
    // The attempt begins while this search waits.
    assertEquals(Reason.NOT_FOUND, reason(client.connect("orders", attempts(0))));
    await(clientVertx.undeploy(id));
    listen();
    acceptedAfterOneMore();
    assertEquals(List.of(), others);
  }

  private enum Ends { VERTICLE, RDMA, VERTX }

  @ParameterizedTest
  @EnumSource
  void waitForTheNextAttemptFailsWhenItsOwnerEnds(Ends ends) throws Exception {
    Promise<RdmaConnection> waiting = Promise.promise();
    String id = await(clientVertx.deployVerticle(new VerticleBase() {
      @Override
      public Future<?> start() {
        client.connect("orders", attempts(-1).setReconnectInterval(Duration.ofDays(1))).onComplete(waiting);
        return Future.succeededFuture();
      }
    }));
    assertEquals(Reason.NOT_FOUND, reason(client.connect("orders", attempts(0))));
    switch (ends) {
      case VERTICLE -> await(clientVertx.undeploy(id));
      case RDMA -> await(client.close());
      case VERTX -> await(clientVertx.close());
      default -> throw new AssertionError(ends);
    }
    assertEquals(Reason.CLOSED, reason(waiting.future()));
  }

  @Test
  void optionsHaveBounds() {
    assertThrows(IllegalArgumentException.class, () -> attempts(-2));
    assertThrows(IllegalArgumentException.class, () -> attempts(0).setReconnectInterval(Duration.ZERO));
    RdmaConnectOptions read = new RdmaConnectOptions(new JsonObject().put("reconnectAttempts", 7).put("reconnectInterval", 200));
    assertEquals(7, read.getReconnectAttempts());
    assertEquals(Duration.ofMillis(200), new RdmaConnectOptions(read).getReconnectInterval());
    assertEquals(7, read.toJson().getInteger("reconnectAttempts"));
  }
}
