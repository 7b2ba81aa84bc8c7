package io.github.vertxrdma.grpc.impl;

import static io.github.vertxrdma.grpc.impl.FrameType.CALL;
import static io.github.vertxrdma.grpc.impl.FrameType.CANCEL;
import static io.github.vertxrdma.grpc.impl.FrameType.CREDIT;
import static io.github.vertxrdma.grpc.impl.FrameType.DATA;
import static io.github.vertxrdma.grpc.impl.FrameType.GOAWAY;
import static io.github.vertxrdma.grpc.impl.FrameType.SETTINGS;
import static io.github.vertxrdma.grpc.impl.FrameType.STATUS;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** States of a connection, and the frames allowed in each. Any other frame ends the connection. */
enum ConnectionState {
  GREETING(SETTINGS),
  OPEN(CALL, DATA, STATUS, CANCEL, CREDIT, GOAWAY),
  /** No more calls begin. Calls in flight continue. */
  LEAVING(CALL, DATA, STATUS, CANCEL, CREDIT, GOAWAY),
  CLOSED();

  final Set<FrameType> frames;

  ConnectionState(FrameType... frames) {
    this.frames = EnumSet.noneOf(FrameType.class);
    this.frames.addAll(List.of(frames));
  }
}
