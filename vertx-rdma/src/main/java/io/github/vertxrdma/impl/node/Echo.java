package io.github.vertxrdma.impl.node;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkHandler;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** Sends back what it gets: what a ping is answered by, wherever a node listens, without the application. */
final class Echo implements LinkHandler {
  /** What a link is asked for that is pinged over. */
  static final String SERVICE = "ping";

  private final Link link;

  private Echo(Link link) {
    this.link = link;
  }

  /** Answers on a link from now on. */
  static void on(Link link) {
    link.handler(new Echo(link));
    link.welcome(new byte[0]);
  }

  @Override
  public void message(ByteBuf message) {
    link.send(message, null);
  }

  @Override
  public void closed(Throwable cause) {
  }

  @Override
  public void regionFrame(int type, int flags, long a, long b, MemorySegment memory, long at, int length) {
    link.fail(new IllegalStateException(link.name() + " carries pings, no remote memory"));
  }
}
