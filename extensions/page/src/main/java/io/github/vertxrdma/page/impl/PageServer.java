package io.github.vertxrdma.page.impl;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Bounds the connections to a page with a server of its own: whoever reaches it may open some, say nothing, and read nothing. What Vert.x
 * closes ends only when what was written to it has been taken, and is read, and answered without bound, until then. So each connection has
 * a number of requests that are answered, none once it is closed from here; and one that takes nothing is cut off in time. Confined to the
 * server's context.
 */
public final class PageServer {
  private static final int MOST = 256;
  /** Connections with those that were closed from here, and still have something to take. */
  private static final int MOST_OPEN = 512;
  private static final int MOST_REQUESTS = 100;
  /** Time in which nothing that was written is taken; events come each period. */
  private static final int TAKEN_MILLIS = 10_000;
  private static final int TAKEN_PERIODS = 3;

  private final Figures figures;
  private final Router router;
  /** Requests that are still answered, from the oldest connection to the newest; none of one that was closed from here. */
  private final Map<HttpConnection, Integer> connections = new LinkedHashMap<>();

  private PageServer(Figures figures, Router router) {
    this.figures = figures;
    this.router = router;
  }

  /** Makes the server, which does not listen yet. @param periodMillis of the figures */
  public static HttpServer of(Vertx vertx, Gate gate, Figures figures, long periodMillis) {
    int taken = (int) Math.clamp(TAKEN_PERIODS * periodMillis, TAKEN_MILLIS, Integer.MAX_VALUE);
    // Without these each such request is an error with its stack in the log, which a stranger could fill.
    Router router = PageRoutes.of(vertx, gate, figures).errorHandler(400, context -> PageRoutes.refuse(context, 400))
      .errorHandler(404, context -> PageRoutes.refuse(context, 404));
    PageServer server = new PageServer(figures, router);
    // Over HTTP/2 a connection would turn into another one.
    return vertx.createHttpServer(new HttpServerOptions().setWriteIdleTimeout(taken).setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
      .setHttp2ClearTextEnabled(false)).connectionHandler(server::opened).requestHandler(server::asked);
  }

  private void opened(HttpConnection connection) {
    if (connections.size() >= MOST_OPEN) {
      connection.close();
      return;
    }
    if (connections.values().stream().filter(left -> left > 0).count() >= MOST) {
      Set<HttpConnection> viewed = figures.viewed();
      connections.entrySet().stream().filter(each -> each.getValue() > 0 && !viewed.contains(each.getKey())).findFirst()
        .ifPresent(oldest -> {
          oldest.setValue(0);
          oldest.getKey().close();
        });
    }
    connections.put(connection, MOST_REQUESTS);
    connection.closeHandler(v -> connections.remove(connection));
  }

  /** Leaves a request unanswered where none is to be answered any more: what comes behind it waits in the kernel. */
  private void asked(HttpServerRequest request) {
    int left = connections.getOrDefault(request.connection(), 0);
    if (left == 0) {
      return;
    }
    connections.put(request.connection(), left - 1);
    if (left == 1) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    router.handle(request);
  }
}
