package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.function.Function;

/** Requests to an address of an {@code rdma:} verticle, by an {@link RdmaBusClient} or the client's own event bus. */
final class ServiceRequests extends End {
  private static final String ADDRESS = "perf.offered";

  private Function<Buffer, Future<?>> request;

  ServiceRequests(Setup setup) {
    super(setup);
  }

  private Future<String> deploy(String verticle, JsonObject config) {
    return vertx.deployVerticle(verticle, new DeploymentOptions().setConfig(config));
  }

  @Override
  public void serve() throws Exception {
    vertx.eventBus().<Buffer>consumer(ADDRESS, message -> message.reply(message.body()));
    await(deploy("rdma:" + ADDRESS, new RdmaBusServiceOptions().setRdma(setup.rdma()).toJson()));
  }

  @Override
  public void connect() throws Exception {
    if (setup.mode().equals("address")) {
      await(deploy("rdma:" + ADDRESS + "?connect", new RdmaBusClientOptions().setRdma(setup.rdma()).toJson()));
      request = body -> vertx.eventBus().request(ADDRESS, body);
    } else {
      // Created on the context of the operations.
      RdmaBusClient bus = onContext(() -> rdma().connectBus(ADDRESS));
      request = bus::request;
    }
    onContext(() -> request.apply(Buffer.buffer(new byte[1])).mapEmpty());
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> request.apply(body));
  }
}
