package io.github.vertxrdma.impl.calls;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.MessageCodec;

/** Passes received bodies to the local bus without another copy. Never used between nodes. */
final class ReceivedCodec implements MessageCodec<Object, Object> {
  /** For a single receiver: sends a decoded body. */
  static final String ONE = "vertx-rdma.received";
  /** For several receivers, which must not share a body: sends a {@link Received}. */
  static final String MANY = "vertx-rdma.published";

  private final boolean many;

  private ReceivedCodec(boolean many) {
    this.many = many;
  }

  static void register(Vertx vertx) {
    for (boolean many : new boolean[] {false, true}) {
      try {
        vertx.eventBus().registerCodec(new ReceivedCodec(many));
      } catch (IllegalStateException e) {
        // Both are registered already.
      }
    }
  }

  @Override
  public void encodeToWire(Buffer buffer, Object sent) {
    throw new UnsupportedOperationException("a message of a service stays in its Vert.x");
  }

  @Override
  public Object decodeFromWire(int pos, Buffer buffer) {
    throw new UnsupportedOperationException("a message of a service stays in its Vert.x");
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
