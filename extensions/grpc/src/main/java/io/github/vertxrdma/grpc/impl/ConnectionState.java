package io.github.vertxrdma.grpc.impl;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** States of a connection, and the frames allowed in each. Any other frame ends the connection. */
enum ConnectionState {
  GREETING(FrameType.SETTINGS),
  OPEN(FrameType.CALL, FrameType.DATA, FrameType.STATUS, FrameType.CANCEL, FrameType.CREDIT, FrameType.GOAWAY),
  /** No more calls begin. Calls in flight continue. */
  LEAVING(FrameType.CALL, FrameType.DATA, FrameType.STATUS, FrameType.CANCEL, FrameType.CREDIT, FrameType.GOAWAY),
  CLOSED();

  final Set<FrameType> frames;

  ConnectionState(FrameType... frames) {
    this.frames = EnumSet.noneOf(FrameType.class);
    this.frames.addAll(List.of(frames));
  }
}
