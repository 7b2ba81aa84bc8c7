package io.github.vertxrdma.demo;

// tag::all[]
import io.github.vertxrdma.Rdma;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.impl.VertxThread;
import io.vertx.core.internal.VertxBootstrap;
import io.vertx.core.spi.VertxServiceProvider;
import io.vertx.core.spi.VertxThreadFactory;
import java.util.ServiceLoader;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Builds Vert.x as Quarkus 4 does, with its own threads and without a transport, and prints what connections and HTTP use. */
public class LikeQuarkus {
  private static final class Threads implements VertxThreadFactory {
    @Override
    public VertxThread newVertxThread(Runnable target, String name, boolean worker, long maximum, TimeUnit unit) {
      VertxThread thread = INSTANCE.newVertxThread(target, name, worker, maximum, unit);
      thread.setContextClassLoader(LikeQuarkus.class.getClassLoader());
      return thread;
    }
  }

  public static void main(String... arguments) {
    Vertx vertx = VertxBootstrap.create()
      .options(new VertxOptions().setDisableTCCL(true))
      .executorServiceFactory((threads, size, maximum) -> Executors.newCachedThreadPool(threads))
      .threadFactory(new Threads())
      .serviceProviders(ServiceLoader.load(VertxServiceProvider.class).stream().map(ServiceLoader.Provider::get).toList())
      .init()
      .vertx();
    HttpClient client = vertx.createHttpClient();
    Rdma rdma = Rdma.create(vertx);
    rdma.createServer().connectHandler(connection -> connection.requestHandler(Future::succeededFuture)).listen("echo")
      .compose(server -> rdma.connect("echo"))
      .onSuccess(connection -> System.out.println("connections: " + connection.fabric()))
      .compose(connection -> connection.request(Buffer.buffer("hello")))
      .compose(reply -> vertx.createHttpServer().requestHandler(request -> request.response().end("hello")).listen(0, "127.0.0.1"))
      .compose(server -> client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/"))
      .compose(HttpClientRequest::send)
      .compose(HttpClientResponse::body)
      .onSuccess(body -> System.out.println("HTTP: " + body))
      .onFailure(Throwable::printStackTrace)
      .eventually(client::close)
      .eventually(vertx::close);
  }
}
// end::all[]
