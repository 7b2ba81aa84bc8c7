package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;

/** A protocol beside messages that stands on a link, with frames of its own; on the link's loop. */
public interface FrameService {

  /** A frame of the service, whose receive is posted again. @param memory payload from 0 on, valid during the call */
  void frame(int type, int flags, long a, long b, MemorySegment memory, int length);

  /** The end of a turn of the loop, in which frames that are due may go. */
  void turnEnd();

  /** The link is over. @param cause null after an end in which nothing was lost */
  void closed(Throwable cause);
}
