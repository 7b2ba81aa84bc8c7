package io.github.vertxrdma;

import io.vertx.codegen.annotations.Fluent;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.Nullable;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import java.time.Duration;

/** Accepts connections, on the context in which it listens. */
@VertxGen
public interface RdmaServer {

  /**
   * Hears each new connection. It sets the connection's handlers before it returns; messages wait for that.
   *
   * @throws IllegalStateException while it listens
   */
  @Fluent
  RdmaServer connectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Decides about each handshake before there is a connection; without it all are accepted. One for which it throws is refused.
   *
   * @throws IllegalStateException while it listens
   */
  @Fluent
  RdmaServer handshakeHandler(@Nullable Handler<RdmaHandshake> handler);

  /** Listens on every fabric that is worth it and publishes the name. */
  Future<RdmaServer> listen(String name);

  /** Listens on a host and port, over the best fabric that is reached by IP, and not in the directory. Port 0 takes a free one. */
  Future<RdmaServer> listen(SocketAddress address);

  /** Listens on a host and port, as {@link #listen(SocketAddress)} does. */
  default Future<RdmaServer> listen(int port, String host) {
    return listen(SocketAddress.inetSocketAddress(port, host));
  }

  /**
   * Tells the directory other metadata of the name it listens under, in place of {@link RdmaServerOptions#getMetadata}.
   *
   * @return completes when the directory has it
   * @throws IllegalStateException if it does not listen by name
   */
  Future<Void> updateMetadata(JsonObject metadata);

  /** The port it listens on; -1 if it listens by name only. */
  int actualPort();

  /** Withdraws the name and stops listening; connections live on, and it may listen again. */
  Future<Void> withdraw();

  /**
   * Withdraws the name, stops listening and closes its connections as {@link RdmaConnection#shutdown()} does. The end of its verticle, its
   * {@link Rdma} and its Vert.x does so too.
   *
   * @return completes when they are over
   */
  Future<Void> close();

  /** Closes likewise, and waits for peers so long at most; {@link Duration#ZERO} drops at once what they have not got. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);
}
