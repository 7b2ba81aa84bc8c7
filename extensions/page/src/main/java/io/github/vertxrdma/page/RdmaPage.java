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
 * The page of the cluster, for browsers that know its token: nodes and the fabric that joins each pair, services, regions, rates and
 * latencies over time, and what went wrong, live. One node that serves it is enough: it asks the others over their control connections
 * while somebody looks, and does nothing otherwise. Off unless it is deployed:
 *
 * <pre>{@code
 * vertx.deployVerticle(new RdmaPage(rdma, new RdmaPageOptions()));
 * }</pre>
 *
 * <p>It speaks plain HTTP, and answers who calls it by its address, by {@code localhost} or by the host in its options. For TLS, for
 * other names, or in a server that an application has already, mount {@link #router} there.
 */
public final class RdmaPage extends VerticleBase {
  private static final Logger LOG = LoggerFactory.getLogger(RdmaPage.class);

  private final Rdma rdma;
  private final RdmaPageOptions options;
  private final Gate gate;
  private volatile HttpServer server;
  private Figures figures;

  /** @param rdma of the node that the cluster is seen from; it is not closed with the page */
  public RdmaPage(Rdma rdma, RdmaPageOptions options) {
    this.rdma = Objects.requireNonNull(rdma, "rdma");
    this.options = new RdmaPageOptions(options);
    this.gate = new Gate(this.options.getToken(), this.options.getHost());
  }

  /**
   * The page for a server of the application's own, such as one with TLS: {@code main.route("/rdma/*").subRouter(router)}. It ends with the
   * Vert.x. How many connections there are, and for how long, is left to that server.
   *
   * @param options host and port mean nothing here; without a token it is {@code IllegalArgumentException}, since nobody would learn it
   */
  public static Router router(Vertx vertx, Rdma rdma, RdmaPageOptions options) {
    if (options.getToken() == null) {
      throw new IllegalArgumentException("the page in a router of your own needs a token of your own: RdmaPageOptions.setToken");
    }
    return PageRoutes.of(vertx, new Gate(options.getToken(), null),
      new Figures(vertx, FigureSource.of(rdma), options.getPeriod().toMillis()));
  }

  @Override
  public Future<?> start() {
    long period = options.getPeriod().toMillis();
    figures = new Figures(vertx, FigureSource.of(rdma), period);
    return PageServer.of(vertx, gate, figures, period).listen(options.getPort(), options.getHost())
      .recover(
        cause -> Future.failedFuture(new IllegalStateException("the page of the cluster cannot be served at " + options.getHost() + ':'
          + options.getPort() + ": " + cause.getMessage() + "; give another port, or 0 for any", cause)))
      .onSuccess(listening -> {
        server = listening;
        LOG.info("The page of the cluster is at " + (options.getToken() == null ? url() : base() + " for who knows its token"));
      });
  }

  @Override
  public Future<?> stop() {
    figures.close();
    return server == null ? Future.succeededFuture() : server.close();
  }

  private String base() {
    // An address that means all of them is none to connect to.
    String host = options.getHost().equals("0.0.0.0") || options.getHost().equals("::") ? "127.0.0.1" : options.getHost();
    return "http://" + (host.indexOf(':') < 0 ? host : '[' + host + ']') + ':' + server.actualPort() + '/';
  }

  /** The address to open in a browser, the token included; after it is deployed. */
  public String url() {
    return base() + "?token=" + URLEncoder.encode(gate.token(), StandardCharsets.UTF_8);
  }
}
