package io.github.vertxrdma.page;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

/** Code that the documentation quotes. */
final class Example {
  private Example() {
  }

  static Future<String> deploy(Vertx vertx, Rdma rdma) {
    // tag::deploy[]
    RdmaPage page = new RdmaPage(rdma, new RdmaPageOptions().setPort(7480));
    return vertx.deployVerticle(page).map(id -> page.url());
    // end::deploy[]
  }

  static void mount(Vertx vertx, Rdma rdma, Router main, String token) {
    // tag::mount[]
    main.route("/rdma/*").subRouter(RdmaPage.router(vertx, rdma, new RdmaPageOptions().setToken(token)));
    // end::mount[]
  }
}
