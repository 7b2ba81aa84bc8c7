package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.bus.RdmaBusClient;
import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.provider.contract.Pattern;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.ReplyException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

abstract class BusServicePair extends FabricPair {

  DeploymentOptions deployment(RdmaBusServiceOptions options) {
    return new DeploymentOptions().setConfig(options.setRdma(options()).toJson());
  }

  DeploymentOptions deployment(RdmaBusClientOptions options) {
    return new DeploymentOptions().setConfig(options.setRdma(options()).toJson());
  }

  String deploy(String name) throws Exception {
    return await(serverVertx.deployVerticle("rdma:" + name, deployment(new RdmaBusServiceOptions())));
  }

  RdmaBusClient connect(String name) throws Exception {
    return await(client.connectBus(name));
  }

  /** Connects from the event loop of a context, where futures of sent messages complete immediately. */
  RdmaBusClient connectOn(Context context, String name, int lookupMillis) throws Exception {
    Promise<RdmaBusClient> connected = Promise.promise();
    context.runOnContext(v -> client.connectBus(name, new RdmaBusClientOptions().setLookupTimeout(Duration.ofMillis(lookupMillis)))
      .onComplete(connected));
    return await(connected.future());
  }

  int services(String name) {
    return result(client.directory()).services(name).size();
  }

  static Throwable cause(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  static ReplyException replyFailure(Future<?> future) {
    Throwable cause = cause(future);
    return assertInstanceOf(ReplyException.class, cause, cause.toString());
  }

  static byte[] random(int size) {
    return Pattern.bytes(size, size);
  }

  static void sendAgain(RdmaBusClient bus, AtomicInteger tries) {
    if (tries.incrementAndGet() > 0) {
      bus.send("x").onFailure(e -> sendAgain(bus, tries));
    }
  }

  static void askAgain(RdmaBusClient bus, AtomicInteger tries) {
    if (tries.incrementAndGet() > 0) {
      bus.request("x").onFailure(e -> askAgain(bus, tries));
      bus.request("y");
    }
  }
}
