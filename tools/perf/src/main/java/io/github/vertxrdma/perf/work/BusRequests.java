package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

/** Requests over the clustered event bus, which takes the fabric by itself, or TCP where vertx-rdma is off. */
final class BusRequests extends End {
  private static final String ECHO = "perf.echo";
  private static final String TAKE = "perf.take";
  private static final Buffer TAKEN = Buffer.buffer(new byte[1]);

  BusRequests(Setup setup) throws Exception {
    super(setup, Await.await(Vertx.builder()
      .with(NodeOptions.vertx(setup, 1).setEventBusOptions(new EventBusOptions().setHost(HOST)))
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("perf-" + setup.port(), setup.port(), 2)))
      .buildClustered()));
  }

  @Override
  public JsonObject serve() throws Exception {
    onContext(() -> Future.all(
      vertx.eventBus().<Buffer>consumer(ECHO, message -> message.reply(message.body())).completion(),
      vertx.eventBus().<Buffer>consumer(TAKE, message -> message.reply(TAKEN)).completion()));
    return nothing();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    onContext(() -> vertx.eventBus().request(ECHO, TAKEN));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    String address = underWay() == 1 ? ECHO : TAKE;
    return measure(size, nanos, underWay(), () -> vertx.eventBus().request(address, body));
  }
}
