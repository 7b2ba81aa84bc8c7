package io.github.vertxrdma.examples;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerResponse;

/** Answers the probes of an orchestrator. */
public class Probes {
  public static void main(String... arguments) {
    Vertx vertx = Vertx.vertx();
    probes(vertx, Rdma.create(vertx), Integer.parseInt(arguments[0]))
      .onComplete(server -> System.out.println("answers probes"), Throwable::printStackTrace);
  }

  static Future<HttpServer> probes(Vertx vertx, Rdma rdma, int port) {
    return vertx.createHttpServer().requestHandler(request -> {
      HttpServerResponse response = request.response();
      switch (request.path()) {
        case "/started" -> rdma.directory().onSuccess(v -> response.end()).onFailure(cause -> response.setStatusCode(503).end());
        case "/ready" -> rdma.health()
          .onSuccess(health -> response.setStatusCode(health.up() ? 200 : 503).end(health.toJson().encode() + '\n'));
        // An event loop answers. A restart does not repair an outage of the cluster manager.
        case "/live" -> response.end();
        default -> response.setStatusCode(404).end();
      }
    }).listen(port, "127.0.0.1");
  }
}
// end::all[]
