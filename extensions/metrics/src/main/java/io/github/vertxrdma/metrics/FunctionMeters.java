package io.github.vertxrdma.metrics;

import io.github.vertxrdma.functions.Bill;
import io.github.vertxrdma.functions.ExecutorManager;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

/**
 * The meters of a manager of remote functions, named {@code vertx.rdma.functions.*}: what is free and what is leased, invocations, refusals,
 * and the seconds that workers were allocated, polled and computed. Read from the manager's accounts now and then, so no call pays for it.
 * It needs vertx-rdma-functions on the class path.
 */
public final class FunctionMeters implements AutoCloseable {
  private static final double SECOND = 1e9;

  private final Vertx vertx;
  private final ExecutorManager manager;
  private final MeterRegistry registry;
  private final Tags tags;
  private final AtomicLong allocated = new AtomicLong();
  private final AtomicLong polled = new AtomicLong();
  private final AtomicLong executed = new AtomicLong();
  private final AtomicLong invocations = new AtomicLong();
  private volatile int workers;
  private long timer;

  private FunctionMeters(Vertx vertx, ExecutorManager manager, MeterRegistry registry, Tags tags) {
    this.vertx = vertx;
    this.manager = manager;
    this.registry = registry;
    this.tags = tags;
  }

  /**
   * Registers the meters and keeps them up to date until it is closed.
   *
   * @param manager one that was started
   * @param periodMillis how often it is asked
   * @param tags for all meters
   */
  public static FunctionMeters bind(Vertx vertx, ExecutorManager manager, MeterRegistry registry, long periodMillis, Tags tags) {
    FunctionMeters meters = new FunctionMeters(vertx, manager, registry, tags);
    meters.register();
    meters.sample();
    meters.timer = vertx.setPeriodic(periodMillis, id -> meters.sample());
    return meters;
  }

  private void register() {
    gauge("vertx.rdma.functions.cores.free", "Workers that no lease has", meters -> meters.manager.freeCores());
    gauge("vertx.rdma.functions.memory.free", "Bytes that no lease has", meters -> meters.manager.freeMemory());
    gauge("vertx.rdma.functions.workers", "Workers that are leased", meters -> meters.workers);
    counter("vertx.rdma.functions.refusals", "What did not belong", meters -> meters.manager.refusals());
    counter("vertx.rdma.functions.invocations", "Calls that were executed", meters -> meters.invocations.get());
    counter("vertx.rdma.functions.allocated.seconds", "Time that workers were leased", meters -> meters.allocated.get() / SECOND);
    counter("vertx.rdma.functions.polled.seconds", "Of it, time that they polled", meters -> meters.polled.get() / SECOND);
    counter("vertx.rdma.functions.executed.seconds", "Of it, time that functions ran", meters -> meters.executed.get() / SECOND);
  }

  private void gauge(String name, String description, ToDoubleFunction<FunctionMeters> value) {
    Gauge.builder(name, this, value).description(description).tags(tags).strongReference(true).register(registry);
  }

  private void counter(String name, String description, ToDoubleFunction<FunctionMeters> value) {
    FunctionCounter.builder(name, this, value).description(description).tags(tags).register(registry);
  }

  private void sample() {
    manager.total().onSuccess(this::update);
  }

  private void update(Bill total) {
    workers = total.workers();
    // A lease that has ended and is not billed yet is missing for a moment; what was counted stays counted.
    allocated.accumulateAndGet(total.allocationNanos(), Math::max);
    polled.accumulateAndGet(total.hotNanos(), Math::max);
    executed.accumulateAndGet(total.executionNanos(), Math::max);
    invocations.accumulateAndGet(total.invocations(), Math::max);
  }

  /** Stops asking; the meters stay as they are. */
  @Override
  public void close() {
    vertx.cancelTimer(timer);
  }
}
