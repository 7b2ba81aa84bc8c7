package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;
import java.util.Arrays;
import java.util.function.Supplier;

/** Requests over the clustered event bus, which takes the fabric by itself, or TCP where vertx-rdma is off. */
final class BusRequests implements Workload {
  private static final String ECHO = "perf.echo";
  private static final String TAKE = "perf.take";
  private static final Buffer TAKEN = Buffer.buffer(new byte[1]);

  private final Setup setup;
  private final Vertx vertx;
  private final Context context;

  BusRequests(Setup setup) throws Exception {
    this.setup = setup;
    this.vertx = Await.await(Vertx.builder()
      .with(NodeOptions.vertx().setEventBusOptions(new EventBusOptions().setHost("127.0.0.1")))
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("perf-" + setup.port(), setup.port(), 2)))
      .buildClustered());
    this.context = vertx.getOrCreateContext();
  }

  @Override
  public JsonObject serve() throws Exception {
    Promise<Void> ready = Promise.promise();
    context.runOnContext(v -> Future.all(
      vertx.eventBus().<Buffer>consumer(ECHO, message -> message.reply(message.body())).completion(),
      vertx.eventBus().<Buffer>consumer(TAKE, message -> message.reply(TAKEN)).completion()).<Void>mapEmpty().onComplete(ready));
    Await.await(ready.future());
    return new JsonObject();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    Promise<Object> ready = Promise.promise();
    context.runOnContext(v -> vertx.eventBus().request(ECHO, TAKEN).<Object>mapEmpty().onComplete(ready));
    Await.await(ready.future());
  }

  @Override
  @SuppressWarnings({"unchecked", "rawtypes"})
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    int window = setup.connections() * setup.window();
    String address = window == 1 ? ECHO : TAKE;
    Supplier[] operations = new Supplier[window];
    Arrays.fill(operations, (Supplier<Future<?>>) () -> vertx.eventBus().request(address, body));
    return ClosedLoop.run(context, size, nanos, (Supplier<? extends Future<?>>[]) operations);
  }

  @Override
  public void close() throws Exception {
    Await.await(vertx.close());
  }
}
