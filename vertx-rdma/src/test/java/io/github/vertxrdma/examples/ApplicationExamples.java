package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.RdmaOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.json.JsonObject;

/** The code of docs/application.adoc. */
final class ApplicationExamples {
  private ApplicationExamples() {
  }

  // tag::verticle[]
  /** A verticle that has RDMA's options under {@code rdma} in its configuration. */
  static class Orders extends VerticleBase {
    @Override
    public Future<?> start() {
      return Rdma.create(vertx, new RdmaOptions(config().getJsonObject("rdma", new JsonObject())))
        .createServer()
        .connectHandler(connection -> connection.handler(connection::write))
        .listen("orders");
    }
  }

  static DeploymentOptions orders(RdmaOptions options) {
    return new DeploymentOptions().setConfig(new JsonObject().put("rdma", options.toJson()));
  }
  // end::verticle[]
}
