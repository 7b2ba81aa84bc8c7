package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.device.HeapBuffer;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Handles messages and the end of a link, on its loop. */
public interface MessageHandler {

  /** Called with a message that the handler owns. The handler must release zero-copy messages. */
  void message(ByteBuf message);

  /** Called with a message in read-only memory, valid during the call, if the handler asked for views. */
  default void view(MemorySegment message) {
    message(HeapBuffer.copyOf(message));
  }

  default void ended() {
  }

  /** @param cause null if no message was lost */
  void closed(Throwable cause);
}
