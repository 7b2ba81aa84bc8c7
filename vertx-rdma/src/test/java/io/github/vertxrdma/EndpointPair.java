package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.endpoint.RdmaEndpoint;
import io.github.vertxrdma.endpoint.RdmaEndpointOptions;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.eventbus.ReplyException;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** A server whose endpoints are verticles, and a client that connects to them. */
abstract class EndpointPair extends FabricPair {

  DeploymentOptions deployment(RdmaEndpointOptions options) {
    return new DeploymentOptions().setConfig(options.setRdma(options()).toJson());
  }

  String deploy(String name) throws Exception {
    return await(serverVertx.deployVerticle("rdma:" + name, deployment(new RdmaEndpointOptions())));
  }

  RdmaEndpoint connect(String name) throws Exception {
    return await(RdmaEndpoint.connect(client, name));
  }

  /** Connects from the event loop of a context, where futures of what was sent complete in the turn that completes them. */
  RdmaEndpoint connectOn(Context context, String name, int lookupMillis) throws Exception {
    Promise<RdmaEndpoint> connected = Promise.promise();
    context.runOnContext(v -> RdmaEndpoint.connect(client, name, new RdmaEndpointOptions().setLookupTimeoutMillis(lookupMillis))
      .onComplete(connected));
    return await(connected.future());
  }

  int endpoints(String name) {
    try {
      return await(client.directory()).endpoints(name).size();
    } catch (Exception e) {
      return -1;
    }
  }

  static Throwable cause(Future<?> future) {
    return assertThrows(ExecutionException.class, () -> await(future)).getCause();
  }

  static ReplyException replyFailure(Future<?> future) {
    Throwable cause = cause(future);
    return assertInstanceOf(ReplyException.class, cause, cause.toString());
  }

  static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  static void sendAgain(RdmaEndpoint endpoint, AtomicInteger tries) {
    if (tries.incrementAndGet() > 0) {
      endpoint.send("x").onFailure(e -> sendAgain(endpoint, tries));
    }
  }

  static void askAgain(RdmaEndpoint endpoint, AtomicInteger tries) {
    if (tries.incrementAndGet() > 0) {
      endpoint.request("x").onFailure(e -> askAgain(endpoint, tries));
      endpoint.request("y");
    }
  }
}
