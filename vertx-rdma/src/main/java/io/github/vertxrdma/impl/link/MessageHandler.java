package io.github.vertxrdma.impl.link;

import io.github.vertxrdma.impl.message.MessageReceiver;

/** Receives a link's messages and hears of its life, on the link's loop. */
public interface MessageHandler extends MessageReceiver.Reader {

  /** The link is over. @param cause null after an end in which nothing was lost */
  void closed(Throwable cause);
}
