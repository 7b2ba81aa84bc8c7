package io.github.vertxrdma.perf.work;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.json.JsonObject;

final class HttpRequests extends End {
  private HttpClient client;

  HttpRequests(Setup setup) {
    super(setup);
  }

  @Override
  public void serve() throws Exception {
    await(vertx.deployVerticle(Server::new, new DeploymentOptions().setInstances(setup.loops())
      .setConfig(new JsonObject().put("port", setup.port()))));
  }

  @Override
  public void connect() throws Exception {
    client = vertx.createHttpClient(new HttpClientOptions().setPipelining(setup.window() > 1).setPipeliningLimit(setup.window()),
      new PoolOptions().setHttp1MaxSize(setup.connections()));
    onContext(() -> request(Buffer.buffer(new byte[1])));
  }

  private static final class Server extends VerticleBase {
    @Override
    public Future<?> start() {
      return vertx.createHttpServer().requestHandler(request -> request.body().onSuccess(body -> request.response().end(body)))
        .listen(config().getInteger("port"), HOST);
    }
  }

  private Future<Buffer> request(Buffer body) {
    return client.request(HttpMethod.POST, setup.port(), HOST, "/").compose(request -> request.send(body))
      .compose(HttpClientResponse::body);
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> request(body));
  }
}
