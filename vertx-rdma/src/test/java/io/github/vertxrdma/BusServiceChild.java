package io.github.vertxrdma;

import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** Serves the service {@code child}, which echoes unless a message requests silence. */
final class BusServiceChild {
  private BusServiceChild() {
  }

  /** Arguments: {@link RdmaBusServiceOptions} as JSON. */
  public static void main(String[] args) throws Exception {
    JsonObject config = new JsonObject(args[0]);
    Vertx vertx = Vertx.vertx();
    vertx.eventBus().consumer("child", m -> {
      if (m.body().equals("silence")) {
        System.out.println("silent");
      } else {
        m.reply(m.body());
      }
    });
    FabricPair.await(vertx.deployVerticle("rdma:child", new DeploymentOptions().setConfig(config)));
    System.out.println("serving " + FabricPair.await(Rdma.create(vertx, new RdmaBusServiceOptions(config).getRdma()).directory()).nodeId());
  }
}
