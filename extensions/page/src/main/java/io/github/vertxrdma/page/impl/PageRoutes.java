package io.github.vertxrdma.page.impl;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** HTTP routes: {@code /} is the page, {@code /events} its data. */
public final class PageRoutes {
  /** Content security policy: other sites cannot frame the page, which loads nothing from them. */
  private static final String POLICY = "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    + "img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  private static final char DELETE = 0x7f;

  private PageRoutes() {
  }

  public static Router of(Vertx vertx, Gate gate, Figures figures) {
    String page = resource("page.html");
    Router router = Router.router(vertx);
    router.get().handler(context -> {
      context.response().putHeader(HttpHeaders.CACHE_CONTROL, "no-store").putHeader("Referrer-Policy", "no-referrer")
        .putHeader("Content-Security-Policy", POLICY).putHeader("X-Content-Type-Options", "nosniff");
      if (!isAddress(context)) {
        refuse(context, 400);
      } else if (isWithoutSlash(context)) {
        // Adds the trailing slash, which relative links of the page need.
        String query = context.request().query();
        context.response().setStatusCode(303)
          .putHeader(HttpHeaders.LOCATION, context.normalizedPath() + '/' + (query == null ? "" : '?' + query)).end();
      } else {
        context.next();
      }
    }).handler(gate::handle);
    router.get("/").handler(context -> context.response().putHeader(HttpHeaders.CONTENT_TYPE, "text/html; charset=utf-8").end(page));
    router.get("/events").handler(context -> events(context, figures));
    return router;
  }

  /** Returns whether path and parameters can be decoded, and sent in a header and a cookie. */
  private static boolean isAddress(RoutingContext context) {
    try {
      context.queryParams();
      String path = context.normalizedPath();
      String query = context.request().query();
      return path != null && isPrinted(path) && path.indexOf(';') < 0 && path.indexOf('\\') < 0 && (query == null || isPrinted(query));
    } catch (IllegalArgumentException | HttpException e) {
      return false;
    }
  }

  private static boolean isPrinted(String words) {
    return words.chars().allMatch(c -> c > ' ' && c < DELETE);
  }

  private static boolean isWithoutSlash(RoutingContext context) {
    String mount = context.mountPoint();
    String path = context.normalizedPath();
    return mount != null && !path.endsWith("/") && (path.equals(mount) || (path + '/').equals(mount));
  }

  static void refuse(RoutingContext context, int status) {
    context.response().setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
      .end(status == 400 ? "The path or query of this request is not valid.\n" : "There is no such page.\n");
  }

  private static void events(RoutingContext context, Figures figures) {
    HttpServerResponse response = context.response();
    // Proxies must not buffer events.
    response.setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, "text/event-stream").putHeader("X-Accel-Buffering", "no");
    if (!figures.join(context.request())) {
      response.setStatusCode(503).putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8").end("Too many browsers show this "
        + "page already. Close one of them, and reload.\n");
    }
  }

  static String resource(String name) {
    try (InputStream in = PageRoutes.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
