package io.github.vertxrdma.metrics;

import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.FunctionServer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * Meters of a server of remote functions, named {@code vertx.rdma.functions.*}, sampled from its statistics. Needs vertx-rdma-functions on
 * the class path.
 */
public final class FunctionMeters implements AutoCloseable {
  private static final double SECOND = 1e9;

  private final Vertx vertx;
  private final FunctionServer server;
  private final BoundMeters<Bill> meters;
  private volatile Bill total = new Bill("", "", 0, 0, 0, 0, 0, 0);
  private long timer;

  private FunctionMeters(Vertx vertx, FunctionServer server, MeterRegistry registry, Tags tags) {
    this.vertx = vertx;
    this.server = server;
    this.meters = new BoundMeters<>(registry, tags, () -> total);
    meters.gauge("vertx.rdma.functions.cores.free", "Workers that are not leased", total -> server.freeCores());
    meters.gauge("vertx.rdma.functions.memory.free", "Bytes of memory that are not leased", total -> server.freeMemory());
    meters.gauge("vertx.rdma.functions.workers", "Workers that are leased", total -> total.workers());
    meters.counter("vertx.rdma.functions.refusals", "Invalid connections, leases and calls that were refused",
      total -> server.refusals());
    meters.counter("vertx.rdma.functions.invocations", "Calls that were executed", total -> total.invocations());
    meters.counter("vertx.rdma.functions.allocated.seconds", "Time that workers were leased", total -> total.allocationNanos() / SECOND);
    meters.counter("vertx.rdma.functions.polled.seconds", "Part of the leased time in which workers polled",
      total -> total.hotNanos() / SECOND);
    meters.counter("vertx.rdma.functions.executed.seconds", "Part of the leased time in which functions ran",
      total -> total.executionNanos() / SECOND);
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
    bound.sample();
    bound.timer = vertx.setPeriodic(period.toMillis(), id -> bound.sample());
    return bound;
  }

  private void sample() {
    server.total().onSuccess(now -> total = now);
  }

  @Override
  public void close() {
    vertx.cancelTimer(timer);
    meters.close();
  }
}
