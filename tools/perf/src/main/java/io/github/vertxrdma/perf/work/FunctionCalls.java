package io.github.vertxrdma.perf.work;

import io.github.vertxrdma.functions.CallOptions;
import io.github.vertxrdma.functions.FunctionClient;
import io.github.vertxrdma.functions.FunctionOptions;
import io.github.vertxrdma.functions.FunctionProvider;
import io.github.vertxrdma.functions.FunctionRegistry;
import io.github.vertxrdma.functions.FunctionServer;
import io.github.vertxrdma.functions.FunctionServerOptions;
import io.github.vertxrdma.functions.Lease;
import io.github.vertxrdma.functions.LeaseOptions;
import io.github.vertxrdma.functions.RemoteFunction;
import io.github.vertxrdma.functions.WorkerMode;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.buffer.Buffer;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Calls of a remote function that returns its arguments, on several leased workers. With cold workers, an operation is a lease, a call, and
 * the end of the lease.
 */
public final class FunctionCalls extends End {
  private static final String ECHO = "echo";
  private static final String WORK = "work";
  private static final int HEADER = 64;
  private static final long HOT_IDLE_MILLIS = 20;
  private static final long LEASE_MILLIS = 3_600_000;
  private static final ThreadMXBean TIMES = ManagementFactory.getThreadMXBean();

  private final WorkerMode mode;
  private final int micros;
  private FunctionClient invoker;
  private int leasedFor = -1;

  FunctionCalls(Setup setup) {
    super(setup);
    this.mode = WorkerMode.valueOf(setup.options().getString("worker", "hot").toUpperCase(Locale.ROOT));
    this.micros = setup.options().getInteger("work", 0);
  }

  @Override
  public void serve() throws Exception {
    FunctionServer manager = FunctionServer.create(rdma(), new FunctionServerOptions().setCores(setup.connections())
      .setMemory(Integer.MAX_VALUE).setHotIdleTimeout(Duration.ofMillis(HOT_IDLE_MILLIS)).setLoadProviders(false)
      .setColdWorkerRdma(setup.rdma()));
    new Echo().register(manager);
    manager.register(WORK, RemoteFunction.of(this::compute));
    onContext(manager::listen);
  }

  /** Computes for a fixed processor time. With a fixed elapsed time, more workers than processors would seem faster. */
  private Buffer compute(Buffer arguments) {
    long end = TIMES.getCurrentThreadCpuTime() + micros * 1000L;
    while (TIMES.getCurrentThreadCpuTime() - end < 0) {
      Thread.onSpinWait();
    }
    return arguments;
  }

  @Override
  public void connect() throws Exception {
    invoker = onContext(() -> Future.succeededFuture(FunctionClient.create(rdma())));
    if (mode != WorkerMode.COLD) {
      lease(0);
    }
  }

  private LeaseOptions wanted(int size) {
    int slot = Math.max(LeaseOptions.LEAST_SLOT, size + HEADER + 7 & -8);
    int memory = Math.multiplyExact(slot, setup.window());
    return new LeaseOptions().setWorkers(setup.connections()).setSlots(setup.window()).setMemory(memory).setMode(mode)
      .setDuration(Duration.ofMillis(LEASE_MILLIS)).setWaitTimeout(Duration.ofSeconds(30));
  }

  private void lease(int size) throws Exception {
    if (leasedFor == size) {
      return;
    }
    for (Lease lease : invoker.leases()) {
      await(lease.end());
    }
    List<Lease> leases = await(invoker.lease(wanted(size)));
    if (leases.stream().mapToInt(lease -> lease.workers().size()).sum() < setup.connections()) {
      throw new IllegalStateException("fewer than " + setup.connections() + " workers could be leased");
    }
    leasedFor = size;
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    Buffer arguments = Buffer.buffer(new byte[size]);
    CallOptions options = CallOptions.DEFAULT.withMaxResult(size).withTimeout(Duration.ZERO);
    if (mode == WorkerMode.COLD) {
      return measure(size, nanos, 1, () -> invoker.lease(wanted(size)).compose(leases -> invoker.invoke(ECHO, arguments, options)
        .eventually(() -> Future.all(leases.stream().map(Lease::end).toList()))));
    }
    lease(size);
    String function = micros > 0 ? WORK : ECHO;
    return measure(size, nanos, underWay(), () -> invoker.invoke(function, arguments, options));
  }

  public static final class Echo implements FunctionProvider {

    @Override
    public void register(FunctionRegistry registry) {
      registry.register(ECHO, new FunctionOptions().setThreading(ThreadingModel.EVENT_LOOP), RemoteFunction.of(arguments -> arguments));
    }
  }
}
