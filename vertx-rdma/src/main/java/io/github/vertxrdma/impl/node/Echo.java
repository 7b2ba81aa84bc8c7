package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.netty.buffer.ByteBuf;

/** Sends back what it gets: what a ping is answered by, wherever a node listens, without the application. */
final class Echo implements MessageHandler {
  /** The name that a link for pings asks for. */
  static final String SERVICE = "ping";

  private final Link link;

  private Echo(Link link) {
    this.link = link;
  }

  /** Accepts a link, and answers on it from now on. */
  static void on(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      link.handler(new Echo(link));
    }
  }

  @Override
  public void message(ByteBuf message) {
    link.send(message, null);
  }

  @Override
  public void closed(Throwable cause) {
  }
}
