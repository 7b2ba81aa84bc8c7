package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.PingReport;
import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.provider.Device;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Measures the round trips of messages to {@link PingResponder}, one at a time. Confined to the link's loop. */
final class Pinger implements MessageHandler {
  private static final int TIMEOUT_MILLIS = 5_000;

  private final Link link;
  private final String nodeId;
  private final int count;
  private final byte[] bytes;
  private final List<Long> nanos = new ArrayList<>();
  private final Promise<PingReport> promise = Promise.promise();
  private long sent;
  private final Deadline timer = Deadline.of(() -> end("no answer within " + TIMEOUT_MILLIS + " ms"));

  private Pinger(Link link, String nodeId, int count, int size) {
    this.link = link;
    this.nodeId = nodeId;
    this.count = count;
    this.bytes = new byte[size];
  }

  /** Pings over an open link, and closes it. Called on its loop. */
  static Future<PingReport> start(Link link, String nodeId, int count, int size) {
    Pinger pinger = new Pinger(link, nodeId, count, size);
    link.handler(pinger);
    pinger.send();
    return pinger.promise.future();
  }

  private void send() {
    link.loop().host.deadlines().set(timer, TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    sent = System.nanoTime();
    link.send(Unpooled.wrappedBuffer(bytes), null);
  }

  private void end(String failure) {
    timer.cancel();
    Device device = link.loop().domain.device();
    if (promise.tryComplete(new PingReport(nodeId, device.name(), device.provider(), nanos, failure))) {
      link.shutdown(TIMEOUT_MILLIS, Promise.<Void>promise());
    }
  }

  @Override
  public void message(ByteBuf message) {
    nanos.add(System.nanoTime() - sent);
    timer.cancel();
    message.release();
    if (promise.future().isComplete()) {
      return;
    }
    if (nanos.size() == count) {
      end("");
    } else {
      send();
    }
  }

  @Override
  public void closed(Throwable cause) {
    end(cause == null ? "the peer closed" : cause.getMessage());
  }
}
