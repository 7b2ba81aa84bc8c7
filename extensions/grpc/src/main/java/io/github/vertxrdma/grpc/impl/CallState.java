package io.github.vertxrdma.grpc.impl;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** States of a call, and the frames allowed in each. Any other frame ends the connection. */
enum CallState {
  /** At the server: a number that is greater than those of all earlier calls. */
  NEW(FrameType.CALL),
  /** At the server: the client has not ended its messages. */
  REQUESTED(FrameType.DATA, FrameType.CANCEL, FrameType.CREDIT),
  /** At the server: the client has ended its messages. */
  ANSWERING(FrameType.CANCEL, FrameType.CREDIT),
  /** At the server: the status was sent, or either side cancelled the call; further frames are dropped. */
  SERVED(FrameType.DATA, FrameType.CANCEL, FrameType.CREDIT),
  /** At the client: a number that no call has used. */
  UNUSED(),
  /** At the client: no frame of the server has arrived. */
  AWAITED(FrameType.DATA, FrameType.STATUS, FrameType.CANCEL, FrameType.CREDIT),
  /** At the client: the server's metadata have arrived. */
  ANSWERED(FrameType.DATA, FrameType.STATUS, FrameType.CANCEL, FrameType.CREDIT),
  /** At the client: the call has ended; further frames are dropped. */
  DONE(FrameType.DATA, FrameType.STATUS, FrameType.CANCEL, FrameType.CREDIT);

  final Set<FrameType> frames;

  CallState(FrameType... frames) {
    this.frames = EnumSet.noneOf(FrameType.class);
    this.frames.addAll(List.of(frames));
  }
}
