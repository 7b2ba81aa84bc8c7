package io.github.vertxrdma.metrics;

import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Meters of a server of remote functions, named {@code vertx.rdma.functions.*}, sampled from its statistics. Needs vertx-rdma-functions on
 * the class path.
 */
public final class FunctionMeters implements AutoCloseable {
  private static final double SECOND = 1e9;

  private final Vertx vertx;
  private final FunctionServer server;
  private final BoundMeters<FunctionMeters> meters;
  private final AtomicBoolean asking = new AtomicBoolean();
  private final AtomicLong allocated = new AtomicLong();
  private final AtomicLong polled = new AtomicLong();
  private final AtomicLong executed = new AtomicLong();
  private final AtomicLong invocations = new AtomicLong();
  private volatile int workers;
  private long timer;

  private FunctionMeters(Vertx vertx, FunctionServer server, MeterRegistry registry, Tags tags) {
    this.vertx = vertx;
    this.server = server;
    this.meters = new BoundMeters<>(registry, tags, this);
  }

  /**
   * Registers the meters and updates them until they are closed.
   *
   * @param vertx runs the timer of the samples
   * @param server a started server
   * @param period time between two samples
   * @param tags for all meters; must distinguish the servers of one process
   */
  public static FunctionMeters bind(Vertx vertx, FunctionServer server, MeterRegistry registry, Duration period, Tags tags) {
    FunctionMeters bound = new FunctionMeters(vertx, server, registry, tags);
    bound.register();
    bound.sample();
    bound.timer = vertx.setPeriodic(period.toMillis(), id -> bound.sample());
    return bound;
  }

  private void register() {
    meters.gauge("vertx.rdma.functions.cores.free", "Workers that are not leased", bound -> bound.server.freeCores());
    meters.gauge("vertx.rdma.functions.memory.free", "Bytes of memory that are not leased", bound -> bound.server.freeMemory());
    meters.gauge("vertx.rdma.functions.workers", "Workers that are leased", bound -> bound.workers);
    meters.counter("vertx.rdma.functions.refusals", "Invalid connections, leases and calls that were refused",
      bound -> bound.server.refusals());
    meters.counter("vertx.rdma.functions.invocations", "Calls that were executed", bound -> bound.invocations.get());
    meters.counter("vertx.rdma.functions.allocated.seconds", "Time that workers were leased", bound -> bound.allocated.get() / SECOND);
    meters.counter("vertx.rdma.functions.polled.seconds", "Part of the leased time in which workers polled",
      bound -> bound.polled.get() / SECOND);
    meters.counter("vertx.rdma.functions.executed.seconds", "Part of the leased time in which functions ran",
      bound -> bound.executed.get() / SECOND);
  }

  private void sample() {
    if (asking.compareAndSet(false, true)) {
      server.total().onSuccess(this::update).onComplete(done -> asking.set(false));
    }
  }

  private void update(Bill total) {
    workers = total.workers();
    // The total omits a lease between its end and its bill. A counter must not decrease.
    allocated.accumulateAndGet(total.allocationNanos(), Math::max);
    polled.accumulateAndGet(total.hotNanos(), Math::max);
    executed.accumulateAndGet(total.executionNanos(), Math::max);
    invocations.accumulateAndGet(total.invocations(), Math::max);
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
    meters.close();
  }
}
