package io.github.vertxrdma.impl.message;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A message that is not wholly posted. */
final class OutboundMessage {
  final ByteBuf body;
  final int size;
  final Completable<Void> done;

  /** @param done hears when the last of it is posted; may be null */
  OutboundMessage(ByteBuf body, Completable<Void> done) {
    this.body = body;
    this.size = body.readableBytes();
    this.done = done;
  }

  /** Bytes that are posted. */
  int offset() {
    return size - body.readableBytes();
  }

  /** Copies the next bytes into registered memory. */
  void copy(int length, MemorySegment to, long at) {
    copy(body, length, to, at);
    body.skipBytes(length);
  }

  /** Copies the first readable bytes into registered memory; they remain readable. */
  static void copy(ByteBuf from, int length, MemorySegment to, long at) {
    if (length == 0) {
      return;
    }
    if (from.hasArray()) {
      MemorySegment.copy(from.array(), from.arrayOffset() + from.readerIndex(), to, ValueLayout.JAVA_BYTE, at, length);
    } else {
      from.getBytes(from.readerIndex(), to.asSlice(at, length).asByteBuffer());
    }
  }
}
