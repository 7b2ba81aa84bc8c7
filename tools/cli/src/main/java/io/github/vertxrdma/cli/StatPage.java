package io.github.vertxrdma.cli;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The statistics of a process as a page that changes by itself: on the loopback address only, for who knows the token in its URL. Once a
 * second each browser is sent what the nodes say, by server-sent events.
 */
final class StatPage implements AutoCloseable {
  private static final long PERIOD_MILLIS = 1000;
  private static final String PAGE = "page/stat.html";

  private final Vertx vertx = Vertx.vertx();
  private final String token;
  private final Callable<List<JsonObject>> source;
  private HttpServer server;

  /** @param source what the nodes say now; empty if the process has ended. May block */
  StatPage(Callable<List<JsonObject>> source) {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    this.token = HexFormat.of().formatHex(random);
    this.source = source;
  }

  /** @param port 0 for any. @return the URL to open */
  String start(int port) {
    server = Membership.await(vertx.createHttpServer().requestHandler(this::answer).listen(port, "127.0.0.1"));
    return "http://127.0.0.1:" + server.actualPort() + "/?token=" + token;
  }

  private void answer(HttpServerRequest request) {
    String given = request.getParam("token");
    boolean known = given != null && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), token.getBytes(StandardCharsets.UTF_8));
    // Another site's page must neither read nor frame this one.
    request.response().putHeader("Cache-Control", "no-store").putHeader("Referrer-Policy", "no-referrer")
      .putHeader("Content-Security-Policy",
        "default-src 'self'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; frame-ancestors 'none'");
    if (!known) {
      request.response().setStatusCode(403).end("The URL that ./rdma stat --page printed has the token; this one has not.\n");
    } else if (request.path().equals("/events")) {
      events(request);
    } else if (request.path().equals("/")) {
      request.response().putHeader("Content-Type", "text/html; charset=utf-8").end(page());
    } else {
      request.response().setStatusCode(404).end("There is only / here.\n");
    }
  }

  private void events(HttpServerRequest request) {
    request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
    long timer = vertx.setPeriodic(1, PERIOD_MILLIS, id -> vertx.executeBlocking(source).onSuccess(nodes -> {
      if (!request.response().ended() && !request.response().writeQueueFull()) {
        request.response().write("data: " + new JsonArray(new ArrayList<>(nodes)).encode() + "\n\n");
      }
    }));
    request.response().closeHandler(v -> vertx.cancelTimer(timer));
  }

  private static String page() {
    try (InputStream in = StatPage.class.getResourceAsStream(PAGE)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Membership.await(vertx.close());
  }
}
