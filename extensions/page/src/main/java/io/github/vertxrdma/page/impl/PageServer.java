package io.github.vertxrdma.page.impl;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.ext.web.Router;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Bounds the connections to a page with a server of its own: whoever reaches it may open some, and say nothing. Confined to the server's context. */
public final class PageServer {
  private static final int MOST = 256;
  /** Time for which nothing is read or written on a connection; events come each period. */
  private static final int IDLE_MILLIS = 60_000;
  private static final int IDLE_PERIODS = 3;

  private final Figures figures;
  /** From the oldest to the newest. */
  private final Set<HttpConnection> connections = new LinkedHashSet<>();

  private PageServer(Figures figures) {
    this.figures = figures;
  }

  /** Makes the server, which does not listen yet. @param periodMillis of the figures */
  public static HttpServer of(Vertx vertx, Gate gate, Figures figures, long periodMillis) {
    int idle = (int) Math.clamp(IDLE_PERIODS * periodMillis, IDLE_MILLIS, Integer.MAX_VALUE);
    // Without these each such request is an error with its stack in the log, which a stranger could fill.
    Router router = PageRoutes.of(vertx, gate, figures).errorHandler(400, context -> PageRoutes.refuse(context, 400))
      .errorHandler(404, context -> PageRoutes.refuse(context, 404));
    // Over HTTP/2 a connection would turn into another one.
    return vertx.createHttpServer(new HttpServerOptions().setIdleTimeout(idle).setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
      .setHttp2ClearTextEnabled(false)).connectionHandler(new PageServer(figures)::opened).requestHandler(router);
  }

  private void opened(HttpConnection connection) {
    if (connections.size() >= MOST) {
      Set<HttpConnection> viewed = figures.viewed();
      connections.stream().filter(each -> !viewed.contains(each)).findFirst().ifPresent(HttpConnection::close);
    }
    connections.add(connection);
    connection.closeHandler(v -> connections.remove(connection));
  }
}
