package io.github.vertxrdma.grpc;

import io.github.vertxrdma.base.Bounds;
import io.vertx.core.buffer.Buffer;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * A message for {@link RdmaMessageEncoder#IN_PLACE}, which is written when it is sent. Long messages are written to registered memory while
 * {@link io.github.vertxrdma.RdmaOptions#getZeroCopyBytes} has room.
 *
 * @param size bytes of the message
 * @param writer appends {@code size} bytes to the buffer, and does not keep the buffer. Called on the context of the call, at most once for
 * each attempt. If it throws an exception or appends another number of bytes, the call ends with {@code INTERNAL}
 */
public record RdmaPayload(int size, Consumer<Buffer> writer) {
  public RdmaPayload {
    Bounds.atLeast("size", size, 0);
    Objects.requireNonNull(writer);
  }
}
