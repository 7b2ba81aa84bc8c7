package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.nic.Nic;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/** Two RoCE devices in user space on either side, none in common. Nothing at the client reports that a device of the server is down. */
@Timeout(120)
class VerbsOutageTest extends FabricPair {
  private static final List<List<String>> NAMES = List.of(List.of("mlx5", "nic"), List.of("connectib", "irdma"));

  private int made;

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    return super.options().setSettings(new JsonObject().put("verbs.device", String.join(",", NAMES.get(Math.min(made++, 1))))
      .put("verbs.connect", "exchange"));
  }

  @Override
  List<String> devices() {
    return NAMES.stream().flatMap(List::stream).map(name -> VerbsInUserSpace.PREFIX + name).toList();
  }

  @AfterEach
  void up() {
    NAMES.getFirst().forEach(name -> Nic.built().port(name, true));
  }

  @Test
  void idleConnectionContinuesOverOtherAdapterOfServer(TestReporter reporter) throws Exception {
    List<RdmaConnection> connections = new CopyOnWriteArrayList<>();
    List<Throwable> lost = new CopyOnWriteArrayList<>();
    List<Buffer> echoes = new CopyOnWriteArrayList<>();
    await(server.createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
    await(client.connect("orders", new RdmaConnectOptions().setReconnectAttempts(-1).setReconnectInterval(Duration.ofMillis(20)))
      .onSuccess(first -> greets(first, connections, lost, echoes)));
    until("the first carries", () -> echoes.size() == 1);
    Nic.built().port(NAMES.getFirst().getFirst(), false);
    long gone = until("it is lost", () -> !lost.isEmpty());
    long on = until("the next carries", () -> echoes.size() == 2);
    reporter.publishEntry("lost after " + gone + " ms, on after " + on + " ms more", lost.getFirst().getMessage());
    assertEquals(Reason.CONNECTION_LOST, assertInstanceOf(RdmaException.class, lost.getFirst()).reason());
    assertEquals(List.of(1, 1), List.of(lost.size(), connections.size() - 1));
    connections.getLast().close();
  }

  private void greets(RdmaConnection connection, List<RdmaConnection> connections, List<Throwable> lost, List<Buffer> echoes) {
    connections.add(connection);
    connection.exceptionHandler(lost::add).reconnectHandler(next -> greets(next, connections, lost, echoes)).handler(echoes::add)
      .write(Buffer.buffer("good morning"));
  }
}
