package io.github.vertxrdma.page;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.page.impl.FigureSource;
import io.github.vertxrdma.page.impl.Figures;
import io.github.vertxrdma.page.impl.Gate;
import io.github.vertxrdma.page.impl.PageRoutes;
import io.github.vertxrdma.page.impl.PageServer;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.ext.web.Router;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * Serves a web page about the cluster to browsers with its token. While a browser is connected, this node requests the statistics of all
 * nodes over control connections, so one page is enough. Deploy the verticle to serve the page:
 *
 * <pre>{@code
 * vertx.deployVerticle(new RdmaPage(rdma, new RdmaPageOptions()));
 * }</pre>
 *
 * <p>The verticle serves plain HTTP, and only requests for an IP address, {@code localhost} or the host in its options. For TLS or other
 * names, mount {@link #router} in a server of the application.
 */
public final class RdmaPage extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaPage.class);

  private final Rdma rdma;
  private final RdmaPageOptions options;
  private final Gate gate;
  private volatile HttpServer server;
  private Figures figures;

  /** @param rdma node that requests statistics; not closed with the page */
  public RdmaPage(Rdma rdma, RdmaPageOptions options) {
    this.rdma = Objects.requireNonNull(rdma, "rdma");
    this.options = new RdmaPageOptions(options);
    this.gate = new Gate(this.options.getToken(), this.options.getHost());
  }

  /**
   * Returns a router for a server of the application: {@code main.route("/rdma/*").subRouter(router)}. That server must limit the number
   * and age of connections. The router works until Vert.x closes.
   *
   * @param options host and port are ignored; the token is required
   */
  public static Router router(Rdma rdma, RdmaPageOptions options) {
    if (options.getToken() == null) {
      throw new IllegalArgumentException("cannot mount the page in a router of the application without a token. Set one with "
        + "RdmaPageOptions.setToken");
    }
    Vertx vertx = rdma.vertx();
    return PageRoutes.of(vertx, new Gate(options.getToken(), null),
      new Figures(vertx, FigureSource.of(rdma), options.getPeriod().toMillis()));
  }

  @Override
  public Future<?> start() {
    long period = options.getPeriod().toMillis();
    figures = new Figures(vertx, FigureSource.of(rdma), period);
    return PageServer.of(vertx, gate, figures, period).listen(options.getPort(), options.getHost())
      .recover(
        cause -> Future.failedFuture(new IllegalStateException("cannot serve the page of the cluster at " + options.getHost() + ':'
          + options.getPort() + ": " + cause.getMessage() + ". Set another port, or 0 for any free port", cause)))
      .onSuccess(listening -> {
        server = listening;
        LOG.info("The page of the cluster is at " + (options.getToken() == null ? url() : base() + ", which asks for its token"));
      });
  }

  @Override
  public Future<?> stop() {
    figures.close();
    return server == null ? Future.succeededFuture() : server.close();
  }

  private String base() {
    String host = options.getHost().equals("0.0.0.0") || options.getHost().equals("::") ? "127.0.0.1" : options.getHost();
    return "http://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + server.actualPort() + '/';
  }

  /** Returns the URL for a browser, with the token; available after the deployment. */
  public String url() {
    return base() + "?token=" + URLEncoder.encode(gate.token(), StandardCharsets.UTF_8);
  }
}
