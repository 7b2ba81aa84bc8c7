package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;

/**
 * A tagged message that was received.
 *
 * @param tag as it was sent
 * @param body belongs to whoever received it
 * @param source the connection that it came by
 */
public record TaggedMessage(long tag, Buffer body, RdmaConnection source) {
}
