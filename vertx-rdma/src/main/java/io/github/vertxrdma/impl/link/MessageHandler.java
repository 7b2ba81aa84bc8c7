package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.message.MessageReceiver;
import io.netty.buffer.ByteBuf;

/** Receives a link's messages and hears of its life, on the link's loop. */
public interface MessageHandler extends MessageReceiver.Reader {

  /** A message; the buffer is the handler's, who has to release it if it asked for zero-copy messages. */
  @Override
  void message(ByteBuf message);

  /** The peer sends no more messages; all before were delivered. */
  @Override
  default void ended() {
  }

  /** The link is over. @param cause null after an end in which nothing was lost */
  void closed(Throwable cause);
}
