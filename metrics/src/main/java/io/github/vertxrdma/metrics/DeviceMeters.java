package io.github.vertxrdma.metrics;

import io.github.vertxrdma.statistics.ConnectionStatistics;
import io.github.vertxrdma.statistics.DeviceStatistics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.List;
import java.util.function.ToLongFunction;

/** The meters of one device, its event loops added up. */
final class DeviceMeters {
  private final MeterRegistry registry;
  private final Tags tags;
  private volatile List<DeviceStatistics> loops = List.of();

  DeviceMeters(MeterRegistry registry, Tags tags) {
    this.registry = registry;
    this.tags = tags;
    gauge("connections", "Connections", d -> d.connections().size());
    gauge("pending.bytes", "Bytes written that wait for credits, slots or the queue",
      d -> d.connections().stream().mapToLong(ConnectionStatistics::pendingBytes).sum());
    gauge("registered.bytes", "Bytes of registered memory for messages", DeviceStatistics::registeredBytes);
    counter("connections.opened", "Connections that opened", d -> d.opened());
    counter("connections.lost", "Connections that broke", d -> d.lost());
    counter("retries", "How often the device was busy", d -> d.retries());
    counter("messages.sent", "Messages sent", d -> d.traffic().messagesSent());
    counter("messages.received", "Messages received", d -> d.traffic().messagesReceived());
    counter("bytes.sent", "Bytes of messages sent", d -> d.traffic().bytesSent());
    counter("bytes.received", "Bytes of messages received", d -> d.traffic().bytesReceived());
    counter("reads", "Remote reads", d -> d.traffic().reads());
    counter("writes", "Remote writes", d -> d.traffic().writes());
    counter("atomics", "Remote atomics", d -> d.traffic().atomics());
    counter("bytes.read", "Bytes of remote reads", d -> d.traffic().bytesRead());
    counter("bytes.written", "Bytes of remote writes", d -> d.traffic().bytesWritten());
    gauge("slots.send.used", "Send slots in use", d -> d.sendSlotsUsed());
    gauge("slots.receive.used", "Receive slots in use", d -> d.receiveSlotsUsed());
    gauge("slots.part.used", "Slots for parts of large messages in use", d -> d.partSlotsUsed());
  }

  private void gauge(String name, String description, ToLongFunction<DeviceStatistics> value) {
    Gauge.builder("vertx.rdma." + name, this, meters -> meters.sum(value)).description(description).tags(tags).register(registry);
  }

  private void counter(String name, String description, ToLongFunction<DeviceStatistics> value) {
    FunctionCounter.builder("vertx.rdma." + name, this, meters -> meters.sum(value)).description(description).tags(tags)
      .register(registry);
  }

  private double sum(ToLongFunction<DeviceStatistics> value) {
    return loops.stream().mapToLong(value).sum();
  }

  void update(List<DeviceStatistics> now) {
    loops = now;
  }
}
