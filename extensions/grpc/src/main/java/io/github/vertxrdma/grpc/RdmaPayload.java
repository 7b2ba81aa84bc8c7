package io.github.vertxrdma.grpc;

import io.github.vertxrdma.base.Bounds;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A message for {@link RdmaMessageEncoder#IN_PLACE}, which is written when it is sent. A long one is written to registered memory, while
 * {@link io.github.vertxrdma.RdmaOptions#getZeroCopyBytes} has room, otherwise to the heap.
 *
 * @param size bytes of the message
 * @param writer appends that many bytes to the buffer, and does not keep the buffer. It is called on the context of the call, before the
 * message's write completes; never if the call ends before, and again each time the call is repeated. If it throws or appends another
 * number of bytes, the call ends with {@code INTERNAL}
 */
public record RdmaPayload(int size, Consumer<Buffer> writer) {
  public RdmaPayload {
    Bounds.atLeast("size", size, 0);
    Objects.requireNonNull(writer);
  }
}
