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

/**
 * Server that accepts connections. Its handlers and connections use the context that called {@code listen}. Any thread may call methods.
 */
@VertxGen
public interface RdmaServer {

  /**
   * Sets the handler of new connections. It should set the connection's handlers, since messages are delivered after it returns.
   *
   * @throws IllegalStateException while the server listens
   */
  @Fluent
  RdmaServer connectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sets the handler that accepts or rejects each connection request. Without a handler, all requests are accepted. If the handler throws,
   * the request is rejected.
   *
   * @throws IllegalStateException while the server listens
   */
  @Fluent
  RdmaServer handshakeHandler(@Nullable Handler<RdmaHandshake> handler);

  /**
   * Listens on all suitable fabrics and publishes the name in the directory.
   *
   * @return fails with {@link IllegalStateException} without a connect handler, or if the server listens already
   */
  Future<RdmaServer> listen(String name);

  /**
   * Listens on a host and port over the best fabric with IP addresses, without a name in the directory. Port 0 selects a free port. Fails
   * like {@link #listen(String)}.
   */
  Future<RdmaServer> listen(SocketAddress address);

  /**
   * Replaces the published {@linkplain RdmaServerOptions#getMetadata metadata}.
   *
   * @return completes when the directory contains the metadata
   * @throws IllegalStateException if the server does not listen by name
   */
  Future<Void> updateMetadata(JsonObject metadata);

  /** Returns the port of a server that listens on an address, otherwise -1. */
  int actualPort();

  /** Withdraws the name and stops listening. Connections stay open. The server may listen again. */
  Future<Void> withdraw();

  /**
   * Withdraws the name, stops listening and closes the accepted connections as {@link RdmaConnection#shutdown()}. Also called when the
   * server's verticle, {@link Rdma} or Vert.x ends.
   */
  Future<Void> close();

  /** Closes like {@link #close()}, with another timeout for connections. {@link Duration#ZERO} drops undelivered messages immediately. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);
}
