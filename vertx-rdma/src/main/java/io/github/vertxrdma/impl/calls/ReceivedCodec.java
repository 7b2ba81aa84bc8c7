package io.github.vertxrdma.impl.calls;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Passes received bodies to the local bus without another copy. Not used between nodes. */
record ReceivedCodec(boolean many) implements MessageCodec<Object, Object> {
  /** Codec name for a single receiver. The body is decoded. */
  static final String ONE = "vertx-rdma.received";
  /** Codec name for several receivers. Each decodes its own body from {@link Received}. */
  static final String MANY = "vertx-rdma.published";

  static void register(Vertx vertx) {
    for (boolean many : new boolean[] {false, true}) {
      try {
        vertx.eventBus().registerCodec(new ReceivedCodec(many));
      } catch (IllegalStateException e) {
        // The codec is registered already.
      }
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

  @Override
  public Object transform(Object sent) {
    return many ? ((Received) sent).ownBody() : sent;
  }

  @Override
  public String name() {
    return many ? MANY : ONE;
  }

  @Override
  public byte systemCodecID() {
    return -1;
  }
}
