package io.github.vertxrdma.metrics;

import io.github.vertxrdma.statistics.DeviceStatistics;
import io.github.vertxrdma.statistics.Latencies;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Meters of one device, with sums over its event loops. */
final class DeviceMeters implements AutoCloseable {
  private static final int[] PERCENTILES = {50, 99, 100};
  /** Time after the last operation during which its latency is shown. */
  private static final long SHOWN_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final BoundMeters<List<DeviceStatistics>> meters;
  private final Recent requests = new Recent(DeviceStatistics::requests, device -> device.requests().count());
  private final Recent oneSided = new Recent(DeviceStatistics::oneSided,
    device -> device.traffic().reads() + device.traffic().writes() + device.traffic().atomics());
  private volatile List<DeviceStatistics> loops = List.of();

  DeviceMeters(MeterRegistry registry, Tags tags) {
    this.meters = new BoundMeters<>(registry, tags, () -> loops);
    gauge("connections", "Connections", DeviceStatistics::connectionCount);
    gauge("pending.bytes", "Written bytes that wait for credits, send buffers or the send queue", DeviceStatistics::pendingBytes);
    gauge("registered.bytes", "Bytes of registered memory for messages", DeviceStatistics::registeredBytes);
    counter("connections.opened", "Connections that opened", d -> d.opened());
    counter("connections.lost", "Opened connections that failed", d -> d.lost());
    counter("retries", "Number of times that the device was busy", d -> d.retries());
    counter("deferred", "Connections and handshake messages of unauthenticated peers that limits delayed or dropped", d -> d.deferred());
    counter("messages.sent", "Messages sent", d -> d.traffic().messagesSent());
    counter("messages.received", "Messages received", d -> d.traffic().messagesReceived());
    counter("bytes.sent", "Bytes of messages sent", d -> d.traffic().bytesSent());
    counter("bytes.received", "Bytes of messages received", d -> d.traffic().bytesReceived());
    counter("reads", "Remote reads", d -> d.traffic().reads());
    counter("writes", "Remote writes", d -> d.traffic().writes());
    counter("atomics", "Remote atomics", d -> d.traffic().atomics());
    counter("bytes.read", "Bytes of remote reads", d -> d.traffic().bytesRead());
    counter("bytes.written", "Bytes of remote writes", d -> d.traffic().bytesWritten());
    gauge("slots.send.used", "Registered send buffers in use", d -> d.sendSlotsUsed());
    gauge("slots.receive.used", "Registered receive buffers that are posted or being read", d -> d.receiveSlotsUsed());
    gauge("slots.part.used", "Registered buffers in use for parts of large messages", d -> d.partSlotsUsed());
    gauge("messages.zero.copy", "Large messages in registered memory that are not released yet", d -> d.zeroCopyMessages());
    latencies(registry, tags, "requests", requests);
    latencies(registry, tags, "one-sided", oneSided);
  }

  /**
   * Latencies of the latest period between two samples that has a timed operation; not every operation is timed. NaN before the first
   * operation, and from one minute after the last.
   */
  private static final class Recent {
    private final Function<DeviceStatistics, Latencies> part;
    private Latencies total = Latencies.NONE;
    private final ToLongFunction<DeviceStatistics> operations;
    private long lastOperations;
    private long lastNanos;
    private volatile Latencies recent = Latencies.NONE;

    Recent(Function<DeviceStatistics, Latencies> part, ToLongFunction<DeviceStatistics> operations) {
      this.part = part;
      this.operations = operations;
    }

    void update(List<DeviceStatistics> loops) {
      Latencies now = loops.stream().map(part).reduce(Latencies.NONE, Latencies::and);
      Latencies timed = now.since(total);
      long done = loops.stream().mapToLong(operations).sum();
      long nanos = System.nanoTime();
      if (done != lastOperations) {
        lastOperations = done;
        lastNanos = nanos;
      }
      if (timed.count() > 0 || nanos - lastNanos > SHOWN_NANOS) {
        recent = timed;
      }
      total = now;
    }

    double seconds(int percent) {
      long nanos = recent.percentile(percent);
      return nanos < 0 ? Double.NaN : (double) nanos / TimeUnit.SECONDS.toNanos(1);
    }
  }

  private void latencies(MeterRegistry registry, Tags tags, String what, Recent recent) {
    for (int percent : PERCENTILES) {
      meters.add(Gauge.builder("vertx.rdma.latency", recent, r -> r.seconds(percent)).baseUnit("seconds").tags(tags)
        .tags("of", what, "quantile", percent == 100 ? "1" : Double.toString(percent / 100.0))
        .description("Quantiles of the latency of requests and of one-sided operations, in the last period that had such "
          + "operations")
        .register(registry));
    }
  }

  private void gauge(String name, String description, ToLongFunction<DeviceStatistics> value) {
    meters.gauge("vertx.rdma." + name, description, loops -> sum(loops, value));
  }

  private void counter(String name, String description, ToLongFunction<DeviceStatistics> value) {
    meters.counter("vertx.rdma." + name, description, loops -> sum(loops, value));
  }

  private static double sum(List<DeviceStatistics> loops, ToLongFunction<DeviceStatistics> value) {
    return loops.stream().mapToLong(value).sum();
  }

  /** @param now empty for a device that is no longer used */
  void update(List<DeviceStatistics> now) {
    loops = now;
    requests.update(now);
    oneSided.update(now);
  }

  @Override
  public void close() {
    meters.close();
  }
}
