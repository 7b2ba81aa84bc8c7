package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.api.RequestFrame.Type;
import io.github.vertxrdma.impl.device.HeapBuffer;
import io.github.vertxrdma.impl.device.RegisteredBuffer;
import io.github.vertxrdma.impl.link.Link;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/** Requests of a connection in both directions. Ordinary messages pass by. Confined to the link's loop. */
final class Requests {
  private final RdmaConnectionImpl connection;
  private final Link link;
  private final String disagreement;
  private OutboundRequests outbound;
  private InboundRequests inbound;

  Requests(RdmaConnectionImpl connection, Link link) {
    this.connection = connection;
    this.link = link;
    this.disagreement = RequestFrame.disagreement(link.peer().data());
  }

  /** @param frame without its number; owned by this method */
  void send(ByteBuf frame, long timeoutMillis, Completable<Buffer> reply) {
    if (disagreement == null) {
      outbound().send(frame, timeoutMillis, reply);
    } else {
      reply.fail(new RdmaException(Reason.UNSUPPORTED, "cannot send a request to " + link.name() + ": " + disagreement));
    }
  }

  void handler(Function<Buffer, Future<Buffer>> value) {
    inbound().handler(value);
  }

  /** @return the ordinary message inside, or null */
  ByteBuf received(ByteBuf message) {
    ByteBuf frame = message;
    if (message instanceof RegisteredBuffer memory) {
      frame = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Type type = RequestFrame.type(frame);
    if (type == null) {
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent an invalid request frame; the connection was closed"));
    } else if (type == Type.MESSAGE) {
      return RequestFrame.body(frame);
    } else if (type == Type.REQUEST) {
      inbound().requested(RequestFrame.number(frame), RequestFrame.body(frame));
    } else {
      outbound().answered(type, RequestFrame.number(frame), RequestFrame.body(frame));
    }
    return null;
  }

  void closed(Throwable cause) {
    if (outbound != null) {
      outbound.closed(cause);
    }
    if (inbound != null) {
      inbound.closed();
    }
  }

  private OutboundRequests outbound() {
    return outbound == null ? outbound = new OutboundRequests(link) : outbound;
  }

  private InboundRequests inbound() {
    return inbound == null ? inbound = new InboundRequests(connection, link) : inbound;
  }
}
