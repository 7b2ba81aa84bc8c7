package io.github.vertxrdma.impl.message;

import io.github.vertxrdma.provider.Capabilities;

/** Event that completes the write of a message. */
public enum WriteCompletion {
  /** The last frame of the message is posted. The peer may still have to read the message from the memory of this process. */
  POSTED,
  /**
   * The last frame is in memory that the peer has mapped. Messages of every size go in frames, since a message that the peer had to read
   * would be lost with this process.
   */
  IN_SHARED_MEMORY,
  /** The adapter of the peer has acknowledged the last frame, or the peer has read the last piece. */
  ACKNOWLEDGED_BY_ADAPTER,
  /** The peer has answered a question that was sent behind the message. The completion of a send proves too little. */
  ACKNOWLEDGED_BY_PEER;

  /** Returns the event after which a message arrives even if this process ends. */
  public static WriteCompletion onArrival(Capabilities capabilities) {
    return switch (capabilities.sendCompletion()) {
      case SHARED_MEMORY -> IN_SHARED_MEMORY;
      case REMOTE -> ACKNOWLEDGED_BY_ADAPTER;
      case LOCAL -> ACKNOWLEDGED_BY_PEER;
    };
  }

  /** Tells whether the send of the last frame completes the write. */
  boolean isBySend() {
    return this == IN_SHARED_MEMORY || this == ACKNOWLEDGED_BY_ADAPTER;
  }
}
