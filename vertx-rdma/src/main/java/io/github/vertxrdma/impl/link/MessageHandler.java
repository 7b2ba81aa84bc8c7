package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Handler of a link's messages and its end. Called on the link's event loop. */
public interface MessageHandler {

  /** Called with a message that the handler owns, and must release if it is zero-copy. */
  void message(ByteBuf message);

  /** Called with a message in read-only memory that is valid during the call, see {@link Link#inPlace}. */
  default void view(MemorySegment message) {
    message(HeapBuffer.copyOf(message));
  }

  default void ended() {
  }

  /** @param cause null if no message was lost */
  void closed(Throwable cause);
}
