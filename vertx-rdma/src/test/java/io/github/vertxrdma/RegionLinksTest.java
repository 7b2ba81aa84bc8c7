package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.nic.Nic;
import io.github.vertxrdma.nic.Nic.Control;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(120)
class RegionLinksTest extends FabricPair {
  private static final String DEVICE = "mlx5";
  private static final int LOOPS = 4;

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    return super.options().setSettings(new JsonObject().put("verbs.device", DEVICE).put("verbs.connect", "exchange"));
  }

  @Override
  VertxOptions vertxOptions() {
    return new VertxOptions().setEventLoopPoolSize(LOOPS);
  }

  @Override
  List<String> devices() {
    return List.of(VerbsInUserSpace.PREFIX + DEVICE);
  }

  @AfterEach
  void stopCounting() {
    Nic.built().slowControl(-1);
  }

  /** Reads on each event loop in turn, because calls of successive loops open the links. */
  @ParameterizedTest
  @CsvSource({"512, 4", "4, 4", "2, 2", "1, 1"})
  void eventLoopsShareLinksBeyondTheLimit(int most, int links) throws Exception {
    await(server.createRegion(new RegionOptions().setName("table").setSize(4096).setAccess(RegionAccess.READ))).write(0,
      Buffer.buffer("abcd"));
    Rdma rdma = Rdma.create(clientVertx, options().setMaxRegionLinks(most));
    await(rdma.directory());
    Nic.built().slowControl(0);
    List<Future<Buffer>> reads = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      ContextInternal context = ((VertxInternal) clientVertx).createEventLoopContext();
      Promise<Buffer> read = Promise.promise();
      context.runOnContext(v -> rdma.openRegion("table").compose(region -> region.read(0, 4)).onComplete(read));
      await(read.future());
      reads.add(read.future());
    }
    for (Future<Buffer> read : reads) {
      assertEquals("abcd", read.result().toString());
    }
    assertEquals(2 * links, Nic.built().controlCalls("").get(Control.CREATE_QP), "queue pairs of both sides");
  }
}
