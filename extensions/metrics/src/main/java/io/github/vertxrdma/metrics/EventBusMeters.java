package io.github.vertxrdma.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.vertx.core.eventbus.Message;
import io.vertx.core.eventbus.ReplyFailure;
import io.vertx.core.spi.metrics.EventBusMetrics;

/** Meters of the event bus. Addresses are no tags, because their number is unlimited. Thread-safe. */
final class EventBusMeters implements EventBusMetrics<Object> {
  private static final Object HANDLER = new Object();

  private final MeterRegistry registry;
  private final Sums.Part handlers;
  private final Sums.Part pending;
  private final Counter discarded;
  private final Counter delivered;
  private final Counter written;
  private final Counter read;

  EventBusMeters(MeterRegistry registry) {
    this.registry = registry;
    handlers = Sums.part(registry, "vertx.eventbus.handlers", Tags.empty());
    pending = Sums.part(registry, "vertx.eventbus.pending", Tags.empty());
    discarded = registry.counter("vertx.eventbus.discarded");
    delivered = registry.counter("vertx.eventbus.delivered");
    written = registry.counter("vertx.eventbus.bytes.written");
    read = registry.counter("vertx.eventbus.bytes.read");
  }

  private Counter counter(String name, boolean local) {
    return registry.counter("vertx.eventbus." + name, "side", local ? "local" : "remote");
  }

  @Override
  public Object handlerRegistered(String address) {
    handlers.add(1);
    return HANDLER;
  }

  @Override
  public void handlerUnregistered(Object handler) {
    handlers.add(-1);
  }

  @Override
  public void scheduleMessage(Object handler, boolean local) {
    pending.add(1);
  }

  @Override
  public void discardMessage(Object handler, boolean local, Message<?> message) {
    pending.add(-1);
    discarded.increment();
  }

  @Override
  public void messageDelivered(Object handler, boolean local) {
    pending.add(-1);
    delivered.increment();
  }

  @Override
  public void messageSent(String address, boolean publish, boolean local, boolean remote) {
    counter(publish ? "published" : "sent", local).increment();
  }

  @Override
  public void messageReceived(String address, boolean publish, boolean local, int handled) {
    counter("received", local).increment();
  }

  @Override
  public void messageWritten(String address, int bytes) {
    written.increment(bytes);
  }

  @Override
  public void messageRead(String address, int bytes) {
    read.increment(bytes);
  }

  @Override
  public void replyFailure(String address, ReplyFailure failure) {
    registry.counter("vertx.eventbus.reply.failures", "failure", failure.name()).increment();
  }

  @Override
  public void close() {
    handlers.close();
    pending.close();
  }
}
