package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaHandshake;
import io.github.vertxrdma.impl.link.Greeting;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Creates a connection for each incoming link that the handshake handler, if set, accepts. */
final class ConnectionAcceptor implements LinkListener.Acceptor {
  private final ContextInternal context;
  private final Handler<RdmaConnection> connectHandler;
  private final Handler<RdmaHandshake> handshakeHandler;
  private final Node node;
  private final ClosingScope opened;

  ConnectionAcceptor(ContextInternal context, Handler<RdmaConnection> connectHandler, Handler<RdmaHandshake> handshakeHandler,
    Node node, ClosingScope opened) {
    this.opened = opened;
    this.context = context;
    this.connectHandler = connectHandler;
    this.handshakeHandler = handshakeHandler;
    this.node = node;
  }

  @Override
  public void greeted(IncomingLink link) {
    if (handshakeHandler == null) {
      accept(link, new byte[0]);
    } else {
      context.emit(new Request(link), request -> {
        try {
          handshakeHandler.handle(request);
        } catch (Throwable e) {
          request.failed();
          throw e;
        }
      });
    }
  }

  private RdmaConnection accept(IncomingLink incoming, byte[] data) {
    Link link = incoming.accept(RequestFrame.isOffered(incoming.greeting().data()) ? RequestFrame.offer(data) : data);
    if (link == null) {
      return null;
    }
    Domain domain = link.loop().domain;
    FabricChoice choice = link.loop().intern(FabricChoice.of(domain.device(), domain.capabilities(), List.of()));
    RdmaConnectionImpl connection = new RdmaConnectionImpl(context, link, choice, node, opened);
    context.emit(connection, connectHandler::handle);
    return connection;
  }

  private final class Request implements RdmaHandshake {
    private final IncomingLink link;
    private final Greeting greeting;
    private final AtomicBoolean answered = new AtomicBoolean();

    Request(IncomingLink link) {
      this.link = link;
      this.greeting = link.greeting();
    }

    @Override
    public String nodeId() {
      return greeting.nodeId();
    }

    @Override
    public Buffer privateData() {
      return Buffer.buffer(RequestFrame.privateData(greeting.data()));
    }

    @Override
    public Future<RdmaConnection> accept(Buffer privateData) {
      if (privateData.length() > 1024) {
        throw new IllegalArgumentException("private data of " + privateData.length() + " bytes is too long: at most 1024 bytes are "
          + "allowed. Send the rest as a message");
      }
      byte[] data = privateData.getBytes();
      return answer(accepted -> {
        RdmaConnection connection = ConnectionAcceptor.this.accept(link, data);
        if (connection == null) {
          accepted.fail(new RdmaException(Reason.CLOSED, link.name() + " was closed before it was accepted"));
        } else {
          accepted.complete(connection);
        }
      });
    }

    @Override
    public Future<Void> reject(String reason) {
      return answer(done -> {
        link.refuse(reason);
        done.complete();
      });
    }

    void failed() {
      if (!answered.get()) {
        reject("the server's handshake handler threw an exception");
      }
    }

    private <T> Future<T> answer(Handler<Promise<T>> how) {
      if (!answered.compareAndSet(false, true)) {
        throw new IllegalStateException("the connection request of node " + nodeId() + " was already accepted or rejected");
      }
      return LoopCall.on(link.loop().host, LoopCall.promise(context), how);
    }
  }
}
