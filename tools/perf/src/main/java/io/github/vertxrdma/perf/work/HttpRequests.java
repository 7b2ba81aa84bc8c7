package io.github.vertxrdma.perf.work;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.function.Supplier;

/** HTTP/1.1 requests over kept connections: a body there and back. Over the fabric where all streams take it, else over TCP. */
final class HttpRequests implements Workload {
  private static final String HOST = "127.0.0.1";

  private final Setup setup;
  private final Vertx vertx = Vertx.vertx(NodeOptions.vertx());
  private final Context context = vertx.getOrCreateContext();
  private HttpClient client;

  HttpRequests(Setup setup) {
    this.setup = setup;
  }

  @Override
  public JsonObject serve() throws Exception {
    Promise<Object> ready = Promise.promise();
    context.runOnContext(v -> vertx.createHttpServer().requestHandler(request -> request.body()
      .onSuccess(body -> request.response().end(body))).listen(setup.port(), HOST).<Object>mapEmpty().onComplete(ready));
    Await.await(ready.future());
    return new JsonObject();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    client = vertx.createHttpClient(new HttpClientOptions().setPipelining(setup.window() > 1).setPipeliningLimit(setup.window()),
      new PoolOptions().setHttp1MaxSize(setup.connections()));
    Promise<Object> ready = Promise.promise();
    context.runOnContext(v -> request(Buffer.buffer(new byte[1])).<Object>mapEmpty().onComplete(ready));
    Await.await(ready.future());
  }

  private Future<Buffer> request(Buffer body) {
    return client.request(HttpMethod.POST, setup.port(), HOST, "/").compose(request -> request.send(body))
      .compose(HttpClientResponse::body);
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    Supplier[] operations = new Supplier[setup.connections() * setup.window()];
    Arrays.fill(operations, (Supplier<Future<?>>) () -> request(body));
    return ClosedLoop.run(context, size, nanos, (Supplier<? extends Future<?>>[]) operations);
  }

  @Override
  public void close() throws Exception {
    Await.await(vertx.close());
  }
}
