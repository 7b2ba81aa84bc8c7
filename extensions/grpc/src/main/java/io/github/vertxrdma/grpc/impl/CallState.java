package io.github.vertxrdma.grpc.impl;

import static io.github.vertxrdma.grpc.impl.FrameType.CALL;
import static io.github.vertxrdma.grpc.impl.FrameType.CANCEL;
import static io.github.vertxrdma.grpc.impl.FrameType.CREDIT;
import static io.github.vertxrdma.grpc.impl.FrameType.DATA;
import static io.github.vertxrdma.grpc.impl.FrameType.STATUS;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** States of a call, and the frames allowed in each. Any other frame ends the connection. */
enum CallState {
  /** At the server: a number that is greater than those of all earlier calls. */
  NEW(CALL),
  /** At the server: the client has not ended its messages. */
  REQUESTED(DATA, CANCEL, CREDIT),
  /** At the server: the client has ended its messages. */
  ANSWERING(CANCEL, CREDIT),
  /** At the server: the status was sent, or either side cancelled the call; further frames are dropped. */
  SERVED(DATA, CANCEL, CREDIT),
  /** At the client: a number that no call has used. */
  UNUSED(),
  /** At the client: no frame of the server has arrived. */
  AWAITED(DATA, STATUS, CANCEL, CREDIT),
  /** At the client: the server's metadata have arrived. */
  ANSWERED(DATA, STATUS, CANCEL, CREDIT),
  /** At the client: the call has ended; further frames are dropped. */
  DONE(DATA, STATUS, CANCEL, CREDIT);

  final Set<FrameType> frames;

  CallState(FrameType... frames) {
    this.frames = EnumSet.noneOf(FrameType.class);
    this.frames.addAll(List.of(frames));
  }
}
