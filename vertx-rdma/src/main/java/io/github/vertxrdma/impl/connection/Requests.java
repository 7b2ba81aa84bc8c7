package io.github.vertxrdma.impl.connection;

import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.impl.connection.RequestFrame.Type;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.memory.HeapBuffer;
import io.github.vertxrdma.impl.memory.RegisteredBuffer;
import io.netty.buffer.ByteBuf;
import io.vertx.core.Completable;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.util.function.Function;

/** Requests of a connection in both directions, among its messages. Confined to the link's loop, but for what the handshake has decided. */
final class Requests {
  private final RdmaConnectionImpl connection;
  private final Link link;
  private final boolean agreed;
  /** Null before the first. */
  private OutboundRequests outbound;
  private InboundRequests inbound;

  Requests(RdmaConnectionImpl connection, Link link) {
    this.connection = connection;
    this.link = link;
    this.agreed = RequestFrame.isOffered(link.peer().data());
  }

  /** Tells whether a message is a frame, or would be taken for one by the peer. Any thread. */
  boolean isFrame(ByteBuf message) {
    return agreed && RequestFrame.isOne(message);
  }

  /** Sends a request. @param frame without its number; taken over */
  void send(ByteBuf frame, long timeoutMillis, Completable<Buffer> reply) {
    if (agreed) {
      outbound().send(frame, timeoutMillis, reply);
    } else {
      reply.fail(new RdmaException(Reason.UNSUPPORTED, "a request to " + link.name() + " was refused: the peer's version knows none"));
    }
  }

  void handler(Function<Buffer, Future<Buffer>> value) {
    inbound().handler(value);
  }

  /** Takes a frame that came. @return the ordinary message that it carries; null if it carries none */
  ByteBuf received(ByteBuf message) {
    ByteBuf frame = message;
    if (message instanceof RegisteredBuffer memory) {
      frame = HeapBuffer.copyOf(memory);
      memory.release();
    }
    Type type = RequestFrame.type(frame);
    if (type == null) {
      link.fail(new RdmaException(Reason.PROTOCOL, link.name() + ": the peer sent a request that is none; the connection was closed"));
    } else if (type == Type.MESSAGE) {
      return RequestFrame.body(frame);
    } else if (type == Type.REQUEST) {
      inbound().requested(RequestFrame.number(frame), RequestFrame.body(frame));
    } else {
      outbound().answered(type, RequestFrame.number(frame), RequestFrame.body(frame));
    }
    return null;
  }

  /** The link is over. @param cause null after an orderly close */
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
