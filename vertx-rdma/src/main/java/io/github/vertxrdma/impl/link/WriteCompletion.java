package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.provider.Capabilities;

/** Event at which the write of a message completes. */
enum WriteCompletion {
  /** The last frame is posted. The peer may still have to read the message. */
  POSTED,
  /** The last frame is in memory mapped by the peer. */
  IN_SHARED_MEMORY,
  /** The peer's adapter has acknowledged the last frame, or the peer has read the last piece. */
  ACKNOWLEDGED_BY_ADAPTER,
  /** The peer has answered a later PING. */
  ACKNOWLEDGED_BY_PEER;

  /** Returns the event after which a message arrives even if this process ends. */
  static WriteCompletion onArrival(Capabilities capabilities) {
    return switch (capabilities.sendCompletion()) {
      case SHARED_MEMORY -> IN_SHARED_MEMORY;
      case REMOTE -> ACKNOWLEDGED_BY_ADAPTER;
      case LOCAL -> ACKNOWLEDGED_BY_PEER;
    };
  }

  boolean isBySend() {
    return this == IN_SHARED_MEMORY || this == ACKNOWLEDGED_BY_ADAPTER;
  }
}
