package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.cluster.impl.QuietHazelcast;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.spi.cluster.hazelcast.HazelcastClusterManager;

/** Event bus requests in a cluster. In the mode start, the time from the start of a node until its first answer. */
final class BusRequests extends End {
  private static final String ECHO = "perf.echo";

  private final long begin;
  private double startMicros;

  BusRequests(Setup setup, long begin) throws Exception {
    this.begin = begin;
    super(setup, await(setup.vertx(new VertxOptions().setEventBusOptions(new EventBusOptions().setHost(HOST)))
      .withClusterManager(new HazelcastClusterManager(QuietHazelcast.loopback("perf-" + setup.port(), setup.port(), 2)))
      .buildClustered()));
  }

  @Override
  public void serve() throws Exception {
    onContext(() -> vertx.eventBus().<Buffer>consumer(ECHO, message -> message.reply(message.body())).completion());
  }

  @Override
  public void connect() throws Exception {
    onContext(() -> vertx.eventBus().request(ECHO, Buffer.buffer(new byte[1])));
    startMicros = (System.nanoTime() - begin) / 1e3;
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (setup.mode().equals("start")) {
      return new Sample(startMicros, Double.NaN, Double.NaN, 1e6 / startMicros, 0, Double.NaN);
    }
    Buffer body = Buffer.buffer(new byte[size]);
    return measure(size, nanos, underWay(), () -> vertx.eventBus().request(ECHO, body));
  }
}
