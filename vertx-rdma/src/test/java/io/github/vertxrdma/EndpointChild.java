package io.github.vertxrdma;

import io.github.vertxrdma.endpoint.RdmaEndpointOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;

/** A process that serves the endpoint {@code child}: it echoes, except what asks for silence. */
final class EndpointChild {
  private EndpointChild() {
  }

  /** Arguments: {@link RdmaEndpointOptions} as JSON. */
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
    System.out.println("serving " + FabricPair.await(Rdma.create(vertx, new RdmaEndpointOptions(config).getRdma()).directory()).nodeId());
  }
}
