package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;

/** The code that docs/running.adoc shows. */
final class ProbeExamples {
  private ProbeExamples() {
  }

  // tag::ready[]
  static Future<HttpServer> probes(Vertx vertx, Rdma rdma, int port) {
    return vertx.createHttpServer().requestHandler(request -> {
      HttpServerResponse response = request.response();
      switch (request.path()) {
        case "/started" -> rdma.directory().onSuccess(v -> response.end()).onFailure(cause -> response.setStatusCode(503).end());
        case "/ready" -> rdma.health()
          .onSuccess(health -> response.setStatusCode(health.up() ? 200 : 503).end(health.toJson().encode()));
        // An event loop answers. A restart does not repair an outage of the cluster manager.
        case "/live" -> response.end();
        default -> response.setStatusCode(404).end();
      }
    }).listen(port);
  }
  // end::ready[]
}
