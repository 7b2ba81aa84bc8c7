package io.github.vertxrdma.impl.api;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.RdmaConnectOptions;
import io.github.vertxrdma.RdmaConnection;
import io.github.vertxrdma.RdmaException;
import io.github.vertxrdma.RdmaException.Reason;
import io.github.vertxrdma.RdmaHandshake;
import io.github.vertxrdma.RdmaServer;
import io.github.vertxrdma.RdmaServerOptions;
import io.github.vertxrdma.impl.link.IncomingLink;
import io.github.vertxrdma.impl.link.Link;
import io.github.vertxrdma.impl.link.LinkListener;
import io.github.vertxrdma.impl.node.EncryptionPolicy;
import io.github.vertxrdma.impl.node.ListeningService;
import io.github.vertxrdma.impl.node.Node;
import io.github.vertxrdma.impl.poll.LoopCall;
import io.github.vertxrdma.provider.Domain;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

final class RdmaServerImpl implements RdmaServer {
  private final VertxInternal vertx;
  private final RdmaServerOptions options;
  private final Supplier<Future<Node>> node;
  private final ClosingScope all;
  /** Accepted connections. */
  private ClosingScope accepted;
  /** True if {@link #accepted} is closed or about to be closed. */
  private boolean closed;
  /** Scopes whose close has not completed. */
  private final Set<ClosingScope> closing = new HashSet<>();
  private Runnable forget = () -> {};
  private Handler<RdmaConnection> connectHandler;
  private Handler<RdmaHandshake> handshakeHandler;
  private Future<ListeningService> served;
  private volatile int port = -1;

  public RdmaServerImpl(VertxInternal vertx, RdmaServerOptions options, Supplier<Future<Node>> node, ClosingScope all) {
    this.all = all;
    this.accepted = new ClosingScope(all);
    this.vertx = vertx;
    this.options = new RdmaServerOptions(options);
    this.node = node;
  }

  @Override
  public synchronized RdmaServer connectHandler(Handler<RdmaConnection> handler) {
    checkNotListening("connectHandler");
    connectHandler = handler;
    return this;
  }

  @Override
  public synchronized RdmaServer handshakeHandler(Handler<RdmaHandshake> handler) {
    checkNotListening("handshakeHandler");
    handshakeHandler = handler;
    return this;
  }

  private void checkNotListening(String handler) {
    if (served != null) {
      throw new IllegalStateException("cannot set the " + handler + ": the server is already listening. Set it before listening");
    }
  }

  @Override
  public Future<RdmaServer> listen(String name) {
    return listen("listening as '" + name + "'",
      acceptor -> ListeningService.byName(acceptor.node, acceptor.context, name, options.getMetadata(), acceptor));
  }

  @Override
  public Future<RdmaServer> listen(SocketAddress address) {
    return listen("listening at " + address,
      acceptor -> ListeningService.byAddress(acceptor.node, acceptor.context, address, acceptor));
  }

  private synchronized Future<RdmaServer> listen(String what, Function<Acceptor, Future<ListeningService>> how) {
    if (served != null) {
      return vertx.failedFuture(new IllegalStateException("cannot listen: this server is already listening"));
    }
    if (connectHandler == null) {
      return vertx.failedFuture(new IllegalStateException("cannot listen without a connectHandler: set one first"));
    }
    ContextInternal context = vertx.getOrCreateContext();
    Handler<RdmaConnection> connect = connectHandler;
    Handler<RdmaHandshake> request = handshakeHandler;
    if (closed) {
      closed = false;
      accepted = new ClosingScope(all);
    }
    ClosingScope connections = accepted;
    Future<ListeningService> listening = node.get()
      .compose(started -> EncryptionPolicy.unless(started.options(), what, () -> how.apply(
        new Acceptor(context, connect, request, started, connections))));
    served = listening;
    forget = all.of(context).add(this::close);
    return LoopCall.result(context, listening.andThen((named, cause) -> {
      synchronized (this) {
        if (cause == null) {
          port = named.port();
        } else if (served == listening) {
          served = null;
          forget.run();
        }
      }
    }).map(this));
  }

  @Override
  public Future<Void> updateMetadata(JsonObject metadata) {
    JsonObject copied = metadata.copy();
    Future<ListeningService> listening;
    synchronized (this) {
      listening = served;
    }
    if (listening == null || listening.succeeded() && !listening.result().isNamed()) {
      throw new IllegalStateException("cannot update the metadata: this server does not listen under a name");
    }
    return onCallerContext(listening.compose(named -> named.publish(copied)));
  }

  @Override
  public int actualPort() {
    return port;
  }

  @Override
  public Future<Void> withdraw() {
    Future<ListeningService> listening;
    synchronized (this) {
      listening = served;
      served = null;
      forget.run();
    }
    if (listening == null) {
      return onCallerContext(Future.succeededFuture());
    }
    return onCallerContext(listening.compose(ListeningService::close));
  }

  @Override
  public Future<Void> close() {
    return end(ClosingScope::close);
  }

  @Override
  public Future<Void> shutdown(Duration timeout) {
    return end(connections -> connections.shutdown(timeout));
  }

  private Future<Void> end(Function<ClosingScope, Future<Void>> ending) {
    List<ClosingScope> connections;
    synchronized (this) {
      closed = true;
      closing.add(accepted);
      connections = List.copyOf(closing);
    }
    return withdraw().transform(withdrawn -> Future.join(connections.stream().map(ending).toList()).onComplete(v -> ended(connections))
      .transform(v -> withdrawn.succeeded() ? Future.succeededFuture() : Future.failedFuture(withdrawn.cause())));
  }

  private synchronized void ended(List<ClosingScope> connections) {
    connections.forEach(closing::remove);
  }

  private <T> Future<T> onCallerContext(Future<T> result) {
    return LoopCall.result(vertx.getOrCreateContext(), result);
  }

  /** Creates a connection for each incoming link that the handshake handler, if set, accepts. */
  private record Acceptor(ContextInternal context, Handler<RdmaConnection> connectHandler, Handler<RdmaHandshake> handshakeHandler,
    Node node, ClosingScope opened) implements LinkListener.Acceptor {

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
      private final AtomicBoolean answered = new AtomicBoolean();

      Request(IncomingLink link) {
        this.link = link;
      }

      @Override
      public String nodeId() {
        return link.greeting().nodeId();
      }

      @Override
      public Buffer privateData() {
        return Buffer.buffer(RequestFrame.privateData(link.greeting().data()));
      }

      @Override
      public Future<RdmaConnection> accept(Buffer privateData) {
        // Has the same limit as the private data of the connecting side.
        byte[] data = new RdmaConnectOptions().setPrivateData(privateData).getPrivateData().getBytes();
        return answer(accepted -> {
          RdmaConnection connection = Acceptor.this.accept(link, data);
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
}
