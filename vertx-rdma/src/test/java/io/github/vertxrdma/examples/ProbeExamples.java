package io.github.vertxrdma.examples;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;

/** The code that docs/running.adoc shows. */
final class ProbeExamples {
  private ProbeExamples() {
  }

  // tag::ready[]
  static Future<HttpServer> probes(Vertx vertx, Rdma rdma, int port) {
    return vertx.createHttpServer()
      .requestHandler(request -> rdma.health()
        .onSuccess(health -> request.response().setStatusCode(health.up() ? 200 : 503).end(health.toJson().encode())))
      .listen(port);
  }
  // end::ready[]
}
