package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.impl.device.LoopOptions;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;

/**
 * Sizes in bytes that select how a message is sent. The smaller sizes of both ends apply.
 *
 * @param inline maximum size copied into the work request; -1 for none
 * @param eager maximum size copied into registered memory and sent to a posted receive
 * @param largest maximum size; the receiver reads larger messages than {@code eager} remotely (rendezvous), or gets them in segments if
 * peers must wake each other
 * @param fragment bytes per remote read
 */
public record MessagePaths(int inline, int eager, int largest, int fragment) {

  public static MessagePaths of(Capabilities capabilities, Limits limits, RdmaOptions options) {
    int prefix = capabilities.messagePrefix();
    int eager = Math.min(Frame.room(options.getBufferSize(), prefix), options.getMaxMessageSize());
    return new MessagePaths(Math.min(Math.max(-1, Frame.room(limits.inlineSize(), prefix)), eager), eager, options.getMaxMessageSize(),
      LoopOptions.fragmentSize(options.getBufferSize()));
  }
}
