package io.github.vertxrdma.simulator;

import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.MessageHandler;
import io.github.vertxrdma.impl.opening.IncomingLink;
import io.github.vertxrdma.provider.Domain;
import io.netty.buffer.ByteBuf;

/** A peer that keeps no rule. */
final class Liar {
  private final Domain domain;

  Liar(Conversation conversation, Node victim, Domain domain, long seed) {
    this.domain = domain;
  }

  static void greeted(Conversation conversation, IncomingLink incoming) {
    Link link = incoming.accept(new byte[0]);
    if (link != null) {
      link.handler(new MessageHandler() {
        @Override
        public void message(ByteBuf message) {
          message.release();
        }

        @Override
        public void closed(Throwable cause) {
        }
      });
    }
  }

  void close() {
    domain.close();
  }
}
