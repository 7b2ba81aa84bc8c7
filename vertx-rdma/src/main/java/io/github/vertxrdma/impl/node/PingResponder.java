package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.link.Backpressure;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.netty.buffer.ByteBuf;

/** Returns each ping message of {@link Pings}. Stops reading while the peer does not read the answers. */
public final class PingResponder implements MessageHandler {
  public static final String SERVICE = "ping";

  private final Link link;
  private final Backpressure answers;

  private PingResponder(Link link) {
    this.link = link;
    this.answers = new Backpressure(Runnable::run, link::pause);
  }

  public static void on(IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      link.handler(new PingResponder(link));
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
