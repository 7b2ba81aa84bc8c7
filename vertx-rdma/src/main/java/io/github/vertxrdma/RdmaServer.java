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
   * Sets the handler of new connections. Messages are delivered after the handler returns, so it should set the connection's handlers.
   *
   * @throws IllegalStateException while the server listens
   */
  @Fluent
  RdmaServer connectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sets the handler that accepts or rejects each connection request. Without a handler, all requests are accepted. If the handler
   * throws, the request is rejected.
   *
   * @throws IllegalStateException while the server listens
   */
  @Fluent
  RdmaServer handshakeHandler(@Nullable Handler<RdmaHandshake> handler);

  /** Listens on all suitable fabrics and publishes the name in the directory. */
  Future<RdmaServer> listen(String name);

  /** Listens on a host and port over the best fabric with IP addresses, without the directory. Port 0 selects a free port. */
  Future<RdmaServer> listen(SocketAddress address);

  /**
   * Replaces the published metadata of {@link RdmaServerOptions#getMetadata}.
   *
   * @return completes when the directory contains the metadata
   * @throws IllegalStateException if the server does not listen by name
   */
  Future<Void> updateMetadata(JsonObject metadata);

  /** Returns the port, or -1 if the server listens by name. */
  int actualPort();

  /** Withdraws the name and stops listening. Connections stay open. The server may listen again. */
  Future<Void> withdraw();

  /**
   * Withdraws the name, stops listening and closes the accepted connections as {@link RdmaConnection#shutdown()}. Called when the
   * server's verticle, {@link Rdma} or Vert.x ends.
   */
  Future<Void> close();

  /**
   * Closes the server as {@link #close()}, with another timeout for connections. {@link Duration#ZERO} drops undelivered messages
   * immediately.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);
}
