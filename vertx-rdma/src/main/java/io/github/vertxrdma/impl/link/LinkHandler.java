package io.github.vertxrdma.impl.link;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** What stands on a link. Called on the link's event loop. */
public interface LinkHandler {

  /** A message arrived; the buffer is the handler's, who has to release it if it {@link Link#lends}. */
  void message(ByteBuf message);

  /** The peer will send no more messages; all before were delivered. */
  default void ended() {
  }

  /** Outbound bytes fell so that more may be written; see {@link Link#pendingBytes()}. */
  default void writable() {
  }

  /** Frames came, or something waited: the end of a turn of the loop, in which frames that are due may go. */
  default void turnEnd() {
  }

  /** The link is over. @param cause null after a close that both sides acknowledged */
  void closed(Throwable cause);

  /**
   * A frame of the region service.
   *
   * @param memory payload at {@code at}, valid during the call
   */
  void regionFrame(int type, int flags, long a, long b, MemorySegment memory, long at, int length);
}
