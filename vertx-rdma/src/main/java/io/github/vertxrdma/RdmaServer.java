package io.github.vertxrdma;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.net.SocketAddress;

/** Accepts connections, on the context in which it listens. */
public interface RdmaServer {

  /** Hears each new connection. It sets the connection's handlers before it returns; messages wait for that. */
  RdmaServer connectHandler(Handler<RdmaConnection> handler);

  /** Decides about each handshake before there is a connection; without it all are accepted. */
  RdmaServer handshakeHandler(Handler<RdmaHandshake> handler);

  /** Listens on every fabric that is worth it and publishes the name. */
  Future<RdmaServer> listen(String name);

  /** Listens on a host and port, over the best fabric that is reached by IP, and not in the directory. Port 0 takes a free one. */
  Future<RdmaServer> listen(SocketAddress address);

  /** The port it listens on; -1 if it listens by name only. */
  int actualPort();

  /** Withdraws the name and stops listening; connections live on. */
  Future<Void> close();
}
