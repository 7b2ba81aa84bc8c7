package io.github.vertxrdma.older;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Application that uses Vert.x only. It prints all that it logs. */
public final class Application {
  private static final class Printed extends Handler {
    @Override
    public void publish(LogRecord line) {
      System.out.println(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {
      // Lines are printed at once.
    }

    @Override
    public void close() {
      // Has no resources.
    }
  }

  private Application() {
  }

  public static void main(String... arguments) throws Exception {
    Logger all = Logger.getLogger("");
    all.removeHandler(all.getHandlers()[0]);
    all.addHandler(new Printed());
    Vertx vertx = Vertx.vertx();
    HttpClient client = vertx.createHttpClient();
    System.out.println(vertx.createHttpServer().requestHandler(request -> request.response().end("hello")).listen(0, "127.0.0.1")
      .compose(server -> client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/"))
      .compose(HttpClientRequest::send).compose(HttpClientResponse::body).toCompletionStage().toCompletableFuture()
      .get(20, TimeUnit.SECONDS));
    try {
      vertx.deployVerticle("rdma:orders").toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
      System.out.println("deployed");
    } catch (ExecutionException e) {
      System.out.println(e.getCause().getMessage());
    }
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }
}
