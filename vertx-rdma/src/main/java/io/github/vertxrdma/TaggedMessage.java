package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;

/**
 * Received tagged message.
 *
 * @param body owned by the receiver
 * @param source connection of the message
 */
public record TaggedMessage(long tag, Buffer body, RdmaConnection source) {
}
