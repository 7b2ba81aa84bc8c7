package io.github.vertxrdma.impl.calls;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Passes received bodies to consumers of the local bus without another copy. Not used between nodes. */
final class ReceivedCodec implements MessageCodec<Object, Object> {
  static final String NAME = "vertx-rdma.received";

  static void register(Vertx vertx) {
    try {
      vertx.eventBus().registerCodec(new ReceivedCodec());
    } catch (IllegalStateException e) {
      // The codec is registered already.
    }
  }

  @Override
  public void encodeToWire(Buffer buffer, Object sent) {
    throw new UnsupportedOperationException("the codec of service messages is local: it does not send to other nodes");
  }

  @Override
  public Object decodeFromWire(int pos, Buffer buffer) {
    throw new UnsupportedOperationException("the codec of service messages is local: it does not send to other nodes");
  }

  /** Decodes a published body for each consumer. */
  @Override
  public Object transform(Object sent) {
    return sent instanceof Received message ? message.ownBody() : sent;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
