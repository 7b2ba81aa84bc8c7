package io.github.vertxrdma.page;

import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;

/** Code that the documentation quotes. */
final class Example {
  private Example() {
  }

  // tag::deploy[]
  /** Returns the URL for a browser, with its token. */
  static Future<String> deploy(Vertx vertx, Rdma rdma) {
    RdmaPage page = new RdmaPage(rdma, new RdmaPageOptions().setPort(7480));
    return vertx.deployVerticle(page).map(id -> page.url());
  }
  // end::deploy[]

  // tag::mount[]
  static void mount(Rdma rdma, Router main, String token) {
    main.route("/rdma/*").subRouter(RdmaPage.router(rdma, new RdmaPageOptions().setToken(token)));
  }
  // end::mount[]
}
