package io.github.vertxrdma.impl.link;


/** Handles messages and the end of a link, on its loop. */
public interface MessageHandler extends MessageReceiver.Reader {

  /** @param cause null if no message was lost */
  void closed(Throwable cause);
}
