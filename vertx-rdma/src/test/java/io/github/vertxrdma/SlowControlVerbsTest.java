package io.github.vertxrdma;

import static io.github.vertxrdma.impl.support.Await.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.nic.Nic.Control;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An adapter whose firmware takes milliseconds for each verb that creates, changes or destroys something. */
@Timeout(120)
class SlowControlVerbsTest extends FabricPair {
  private static final String DEVICE = "mlx5";
  private static final String LOOPS = "vert.x-eventloo";
  private static final int MICROS = 20_000;
  private static final int CONNECTIONS = 20;

  private String connect = "exchange";

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    return super.options().setSettings(new JsonObject().put("verbs.device", DEVICE).put("verbs.connect", connect));
  }

  @Override
  List<String> devices() {
    return List.of(VerbsInUserSpace.PREFIX + DEVICE);
  }

  @AfterEach
  void fast() {
    Nic.built().slowControl(-1);
  }

  /**
   * Connects and closes many connections at once, and shares a region. An event loop may move queue pairs to the error state, since the
   * next step needs the result, and resize a completion queue, once in a hundred connections.
   */
  @ParameterizedTest
  @ValueSource(strings = {"exchange", "cm"})
  void eventLoopsCallNoVerbsThatCreateMoveOrDestroy(String by, TestReporter reporter) throws Exception {
    connect = by;
    Rdma serving = Rdma.create(serverVertx, options());
    Rdma connecting = Rdma.create(clientVertx, options());
    AtomicInteger echoes = new AtomicInteger();
    await(serving.createServer().connectHandler(c -> c.handler(c::write)).listen("orders"));
    await(await(connecting.connect("orders")).close());
    Nic.built().slowControl(MICROS);
    List<Future<RdmaConnection>> opening = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      opening.add(connecting.connect("orders"));
    }
    await(serving.createRegion(new RegionOptions().setName("table").setSize(1 << 16).setAccess(RegionAccess.READ)));
    for (Future<RdmaConnection> each : opening) {
      await(each).handler(echo -> echoes.incrementAndGet()).write(Buffer.buffer("good morning"));
    }
    until("all connections carry", () -> echoes.get() == CONNECTIONS);
    for (Future<RdmaConnection> each : opening) {
      await(each.result().close());
    }
    until("all queue pairs are destroyed", () -> Nic.built().controlCalls("").get(Control.DESTROY_QP) >= 2 * CONNECTIONS);
    Map<Control, Integer> calls = new EnumMap<>(Nic.built().controlCalls(LOOPS));
    reporter.publishEntry("on event loops " + calls, "in all " + Nic.built().controlCalls(""));
    assertTrue(Nic.built().controlCalls("").get(Control.CREATE_QP) >= 2 * CONNECTIONS, "the test counts calls");
    calls.remove(Control.FAIL_QP);
    calls.remove(Control.RESIZE_CQ);
    calls.values().removeIf(count -> count == 0);
    assertEquals(Map.of(), calls);
  }
}
