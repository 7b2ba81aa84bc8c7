package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

final class BusRequests extends End {
  private static final String ECHO = "perf.echo";

  BusRequests(Setup setup) throws Exception {
    super(setup, FutureAwait.await(NodeOptions.vertx(setup, new VertxOptions().setEventBusOptions(new EventBusOptions().setHost(HOST)))
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("perf-" + setup.port(), setup.port(), 2)))
      .buildClustered()));
  }

  @Override
  public JsonObject serve() throws Exception {
    onContext(() -> vertx.eventBus().<Buffer>consumer(ECHO, message -> message.reply(message.body())).completion());
    return nothing();
  }

  @Override
  public void connect(JsonObject server) throws Exception {
    onContext(() -> vertx.eventBus().request(ECHO, Buffer.buffer(new byte[1])));
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer body = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> vertx.eventBus().request(ECHO, body));
  }
}
