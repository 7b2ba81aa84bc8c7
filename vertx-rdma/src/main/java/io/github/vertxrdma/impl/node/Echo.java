package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.netty.buffer.ByteBuf;

/**
 * Sends back what it gets: what a ping is answered by, wherever a node listens, without the application. A peer that takes no answers is
 * held back.
 */
public final class Echo implements MessageHandler {
  /** The name that a link for pings asks for. */
  public static final String SERVICE = "ping";

  private final Link link;
  /** Counts answers on their way to the fabric, all on the link's loop. */
  private final Backpressure answers;

  private Echo(Link link) {
    this.link = link;
    this.answers = new Backpressure(Runnable::run, link::pause);
  }

  /** Accepts a link, and answers on it from now on. */
  public static void on(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      link.handler(new Echo(link));
    }
  }

  @Override
  public void message(ByteBuf message) {
    int size = message.readableBytes();
    answers.add(size);
    link.send(message, (sent, cause) -> answers.remove(size));
  }

  @Override
  public void closed(Throwable cause) {
  }
}
