package io.github.vertxrdma.impl.link;

import io.netty.buffer.ByteBuf;

/** Counts the heap bytes that the undelivered messages of a link use. */
public final class HeldBytes {
  private HeldBytes() {
  }

  /** Counts messages in frames. */
  public static long inFrames(Link link) {
    return of(link, false);
  }

  /** Counts messages that the link reads remotely. */
  public static long ofReads(Link link) {
    return of(link, true);
  }

  private static long of(Link link, boolean read) {
    long held = 0;
    for (Object message : link.receiver.messages) {
      if (message instanceof InboundMessage pieces) {
        held += pieces.isRendezvous == read && pieces.bytes != null ? pieces.bytes.length : 0;
      } else if (message instanceof ByteBuf body) {
        held += read ? 0 : body.readableBytes();
      }
    }
    return held;
  }
}
