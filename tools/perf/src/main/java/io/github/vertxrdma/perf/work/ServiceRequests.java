package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.Rdma;
import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;

/** Requests to an address that an {@code rdma:} verticle offers: from code, or as requests of the client's own event bus. */
final class ServiceRequests implements Workload {
  private static final String ADDRESS = "perf.offered";
  private static final Buffer TAKEN = Buffer.buffer(new byte[1]);

  private final Setup setup;
  private final Vertx vertx = Vertx.vertx(NodeOptions.vertx());
  private final Context context = vertx.getOrCreateContext();
  private Function<Buffer, Future<?>> request;

  ServiceRequests(Setup setup) {
    this.setup = setup;
  }

  private Future<String> deploy(String verticle, JsonObject config) {
    return vertx.deployVerticle(verticle, new DeploymentOptions().setConfig(config));
  }

  /** As over the event bus: with several under way, replies are of one byte. */
  private boolean echoes() {
    return setup.connections() * setup.window() == 1;
  }

  @Override
  public JsonObject serve() throws Exception {
    vertx.eventBus().<Buffer>consumer(ADDRESS, message -> message.reply(echoes() ? message.body() : TAKEN));
    Await.await(deploy("rdma:" + ADDRESS, new RdmaBusServiceOptions().setRdma(NodeOptions.rdma(setup)).toJson()));
    return new JsonObject();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    if (setup.mode().equals("address")) {
      Await.await(deploy("rdma:" + ADDRESS + "?connect", new RdmaBusClientOptions().setRdma(NodeOptions.rdma(setup)).toJson()));
      request = body -> vertx.eventBus().request(ADDRESS, body);
    } else {
      // On the context that the operations run on.
      Promise<RdmaBusClient> connected = Promise.promise();
      context.runOnContext(v -> Rdma.create(vertx, NodeOptions.rdma(setup)).connectBus(ADDRESS).onComplete(connected));
      RdmaBusClient bus = Await.await(connected.future());
      request = bus::request;
    }
    Promise<Object> first = Promise.promise();
    context.runOnContext(v -> request.apply(TAKEN).<Object>mapEmpty().onComplete(first));
    Await.await(first.future());
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    Supplier[] operations = new Supplier[setup.connections() * setup.window()];
    Arrays.fill(operations, (Supplier<Future<?>>) () -> request.apply(body));
    return ClosedLoop.run(context, size, nanos, (Supplier<? extends Future<?>>[]) operations);
  }

  @Override
  public void close() throws Exception {
    Await.await(vertx.close());
  }
}
