package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;

/** A received tagged message. @param tag as sent @param body owned by the receiver @param source connection of the message */
public record TaggedMessage(long tag, Buffer body, RdmaConnection source) {
}
