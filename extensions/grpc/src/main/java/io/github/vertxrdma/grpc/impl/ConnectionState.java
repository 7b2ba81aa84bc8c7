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

/** States of a connection that calls go over, and the frames that mean something in each. Any other ends it. */
enum ConnectionState {
  /** The peer's settings are awaited. */
  GREETING(SETTINGS),
  /** Calls begin, go on and end. */
  OPEN(CALL, DATA, STATUS, CANCEL, CREDIT, GOAWAY),
  /** One of the two begins no more calls, or takes none; those under way go on. */
  LEAVING(CALL, DATA, STATUS, CANCEL, CREDIT, GOAWAY),
  /** It is closed; what still comes is not looked at. */
  CLOSED();

  final Set<FrameType> frames;

  ConnectionState(FrameType... frames) {
    Set<FrameType> set = EnumSet.noneOf(FrameType.class);
    set.addAll(List.of(frames));
    this.frames = set;
  }
}
