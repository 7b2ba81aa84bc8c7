package io.github.vertxrdma.page;

import static io.github.vertxrdma.page.Cluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** Requests the page and listens to its events, without a browser. */
final class Visitor implements AutoCloseable {
  private static final long PATIENCE_SECONDS = 60;

  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client = vertx.createHttpClient();
  private final URI base;
  private final BlockingQueue<JsonObject> pictures = new LinkedBlockingQueue<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private Buffer unread = Buffer.buffer();

  interface Condition {
    boolean holds(JsonObject picture) throws Exception;
  }

  Visitor(String url) {
    base = URI.create(url);
  }

  HttpClientResponse get(String path, String header, String value) throws Exception {
    return request(HttpMethod.GET, path, header, value);
  }

  HttpClientResponse get(String path) throws Exception {
    return request(HttpMethod.GET, path, null, null);
  }

  HttpClientResponse request(HttpMethod method, String path, String header, String value) throws Exception {
    RequestOptions options = new RequestOptions().setMethod(method).setHost(base.getHost()).setPort(base.getPort()).setURI(path);
    if (header != null) {
      options.putHeader(header, value);
    }
    return ask(options, response -> response.body().map(response));
  }

  /** On a context of Vert.x, where the response is handled before its body arrives. */
  private HttpClientResponse ask(RequestOptions options, Function<HttpClientResponse, Future<HttpClientResponse>> then) throws Exception {
    Promise<HttpClientResponse> answer = Promise.promise();
    vertx.runOnContext(v -> client.request(options).compose(HttpClientRequest::send).compose(then).onComplete(answer));
    return await(answer.future());
  }

  void listen(String path, String authorization) throws Exception {
    RequestOptions options = new RequestOptions().setHost(base.getHost()).setPort(base.getPort()).setURI(path)
      .putHeader("Authorization", authorization);
    HttpClientResponse response = ask(options, r -> {
      r.handler(this::received);
      r.endHandler(v -> ended.countDown());
      r.exceptionHandler(cause -> ended.countDown());
      return Future.succeededFuture(r);
    });
    assertEquals(200, response.statusCode());
    assertEquals("text/event-stream", response.getHeader("Content-Type"));
  }

  private void received(Buffer bytes) {
    unread = unread.appendBuffer(bytes);
    int end;
    while ((end = unread.toString().indexOf("\n\n")) >= 0) {
      String event = unread.toString().substring(0, end);
      unread = Buffer.buffer(unread.toString().substring(end + 2));
      if (event.startsWith("data: ")) {
        pictures.add(new JsonObject(event.substring(6)));
      }
    }
  }

  JsonObject picture(String what, Condition condition) throws Exception {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    JsonObject last = null;
    while (System.nanoTime() < until) {
      JsonObject next = pictures.poll(1, TimeUnit.SECONDS);
      if (next != null) {
        last = next;
        if (condition.holds(next)) {
          return next;
        }
      }
    }
    throw new AssertionError("waited in vain until " + what + "; the last picture: " + (last == null ? "none" : last.encodePrettily()));
  }

  void awaitEnd() throws InterruptedException {
    assertTrue(ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "the events go on");
  }

  static void until(String what, BooleanSupplier condition, long millis) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> "waited in vain until " + what);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    }
  }

  @Override
  public void close() throws Exception {
    await(vertx.close());
  }
}
