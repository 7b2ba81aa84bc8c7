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
 * Limits connections to the page's own server. Vert.x keeps a closed connection, and handles its requests, until the peer has read all
 * responses. So this class limits the responses of a connection, sends none after closing it, and disconnects peers that do not read.
 * Confined to the server's context.
 */
public final class PageServer {
  private static final int MOST = 256;
  /** Maximum number of connections, including closed ones with unread data. Further connections are closed. */
  private static final int MOST_OPEN = 512;
  private static final int MOST_REQUESTS = 100;
  /** Minimum time after which a peer that reads nothing is disconnected. */
  private static final int TAKEN_MILLIS = 10_000;
  private static final int TAKEN_PERIODS = 3;

  private final Figures figures;
  private final Router router;
  /** Connections, oldest first, with the number of further responses; 0 after this class closed the connection. */
  private final Map<HttpConnection, Integer> connections = new LinkedHashMap<>();

  PageServer(Figures figures, Router router) {
    this.figures = figures;
    this.router = router;
  }

  public static HttpServer of(Vertx vertx, Gate gate, Figures figures, long periodMillis) {
    int taken = (int) Math.clamp(TAKEN_PERIODS * periodMillis, TAKEN_MILLIS, Integer.MAX_VALUE);
    // Without these handlers, Vert.x Web logs a stack trace for each invalid request.
    Router router = PageRoutes.of(vertx, gate, figures).errorHandler(400, context -> PageRoutes.refuse(context, 400))
      .errorHandler(404, context -> PageRoutes.refuse(context, 404));
    PageServer server = new PageServer(figures, router);
    // An upgrade to HTTP/2 would replace the connection object, the key of the limits.
    return vertx.createHttpServer(new HttpServerOptions().setWriteIdleTimeout(taken).setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
      .setHttp2ClearTextEnabled(false)).connectionHandler(server::opened).requestHandler(server::asked);
  }

  void opened(HttpConnection connection) {
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

  /** Handles a request. Requests beyond the limit get no response, and later bytes stay in the kernel. */
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
