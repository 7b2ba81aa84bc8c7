package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.spi.metrics.TransportMetrics;

/** Meters of one TCP server, or a TCP client. Thread-safe. */
final class TransportMeters implements TransportMetrics<Object> {
  private static final Object CONNECTION = new Object();

  private final Sums.Part active;
  private final Counter read;
  private final Counter written;
  private final Counter errors;

  TransportMeters(MeterRegistry registry, String name, Tags tags) {
    active = Sums.part(registry, name + ".active.connections", tags);
    read = Counter.builder(name + ".bytes.read").tags(tags).register(registry);
    written = Counter.builder(name + ".bytes.written").tags(tags).register(registry);
    errors = Counter.builder(name + ".errors").tags(tags).register(registry);
  }

  @Override
  public Object connected(SocketAddress remote, String name) {
    active.add(1);
    return CONNECTION;
  }

  @Override
  public void disconnected(Object connection, SocketAddress remote) {
    active.add(-1);
  }

  @Override
  public void bytesRead(Object connection, SocketAddress remote, long bytes) {
    read.increment(bytes);
  }

  @Override
  public void bytesWritten(Object connection, SocketAddress remote, long bytes) {
    written.increment(bytes);
  }

  @Override
  public void exceptionOccurred(Object connection, SocketAddress remote, Throwable cause) {
    errors.increment();
  }

  @Override
  public void close() {
    active.close();
  }
}
