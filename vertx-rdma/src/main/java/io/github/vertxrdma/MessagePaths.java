package io.github.vertxrdma;

import io.github.vertxrdma.impl.wire.Frame;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Limits;

/**
 * Which way a message of a connection goes, by its size. Between two ends the smaller of their sizes counts.
 *
 * @param inline up to this many bytes a message is copied into the work request; -1 if not even an empty one is
 * @param eager up to this many it is copied into registered memory and sent into a receive that waits for it
 * @param largest up to this many it is announced, and the receiver fetches it by remote reads (rendezvous), or it goes in parts of one
 *   receive each where peers have to wake each other; larger ones are refused
 * @param fragment bytes that one of those reads fetches
 */
public record MessagePaths(int inline, int eager, int largest, int fragment) {

  /**
   * The paths over one device.
   *
   * @param capabilities of the opened device
   * @param limits of the opened device; an endpoint may inline less
   */
  public static MessagePaths of(Capabilities capabilities, Limits limits, RdmaOptions options) {
    int prefix = capabilities.messagePrefix();
    int eager = Math.min(Frame.room(options.getBufferSize(), prefix), options.getMaxMessageSize());
    return new MessagePaths(Math.min(Math.max(-1, Frame.room(limits.inlineSize(), prefix)), eager), eager, options.getMaxMessageSize(),
      Math.max(options.getFragmentSize(), options.getBufferSize()));
  }
}
