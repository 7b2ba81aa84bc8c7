package io.github.vertxrdma.impl.link;

import java.lang.foreign.MemorySegment;

/** Protocol that adds its own frame types to a link. Called on the link's event loop. */
public interface FrameService {

  /** Handles a frame after its receive is posted again. @param memory payload at offset 0, valid during the call */
  void frame(int type, int flags, long a, long b, MemorySegment memory, int length);

  void turnEnd();

  void closed(Throwable cause);
}
