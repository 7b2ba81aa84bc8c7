package io.github.vertxrdma.page.impl;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;

/** {@code /} is the page, {@code /events} what it shows. */
public final class PageRoutes {
  /** Another site's page must neither read, frame nor be told of this one, and nothing is loaded from elsewhere. */
  private static final String POLICY = "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    + "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

  private static final char DELETE = 0x7f;

  private PageRoutes() {
  }

  public static Router of(Vertx vertx, Gate gate, Figures figures) {
    String page = Resource.text("page.html");
    Router router = Router.router(vertx);
    router.get().handler(context -> {
      context.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store").putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Content-Security-Policy", POLICY).putHeader("X-Content-Type-Options", "nosniff");
      if (isAddress(context)) {
        context.next();
      } else {
        refuse(context, 400);
      }
    }).handler(gate::handle);
    router.get("/").handler(context -> {
      if (context.normalizedPath().endsWith("/")) {
        context.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8").end(page);
      } else {
        // Mounted somewhere, and the page's own links are relative.
        context.response().setStatusCode(303).putHeader(HttpHeaders.LOCATION, context.normalizedPath() + '/').end();
      }
    });
    router.get("/events").handler(context -> events(context, figures));
    return router;
  }

  /** Whether path and parameters can be read, and the path told back in a header and a cookie: routes that do it later would fail. */
  private static boolean isAddress(RoutingContext context) {
    try {
      context.queryParams();
      String path = context.normalizedPath();
      return path != null && path.chars().allMatch(c -> c > ' ' && c < DELETE && c != ';');
    } catch (IllegalArgumentException | HttpException e) {
      return false;
    }
  }

  /** Answers what is no request for this page. */
  static void refuse(RoutingContext context, int status) {
    context.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
      .end(status == 400 ? "That is no address.\n" : "There is no such page.\n");
  }

  private static void events(RoutingContext context, Figures figures) {
    HttpServerResponse response = context.response();
    // Proxies must not collect events.
    response.setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream").putHeader("X-Accel-Buffering", "no");
    if (!figures.join(context.request())) {
      response.setStatusCode(503).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8").end("too many viewers\n");
    }
  }
}
