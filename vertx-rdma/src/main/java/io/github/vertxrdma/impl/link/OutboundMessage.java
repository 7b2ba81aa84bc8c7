package io.github.vertxrdma.impl.link;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;

final class OutboundMessage implements Completable<Void> {
  final ByteBuf body;
  final int size;
  final Completable<Void> done;
  OutboundMessage behind;
  int unread;
  boolean posted;

  OutboundMessage(ByteBuf body, Completable<Void> done) {
    this.body = body;
    this.size = body.readableBytes();
    this.done = done;
  }

  int offset() {
    return size - body.readableBytes();
  }

  @Override
  public void complete(Void result, Throwable cause) {
    for (OutboundMessage message = this; message != null; message = message.behind) {
      if (message.done != null) {
        message.done.complete(null, cause);
      }
    }
  }
}
