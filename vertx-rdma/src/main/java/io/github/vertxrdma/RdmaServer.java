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

/** Accepts connections on the context in which it listens. */
@VertxGen
public interface RdmaServer {

  /**
   * Sets the handler of new connections. Messages wait until it returns, so it must set the connection's handlers. @throws
   * IllegalStateException while it listens
   */
  @Fluent
  RdmaServer connectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sets the handler that accepts or rejects each handshake. Without it all are accepted. If it throws, the handshake is rejected. @throws
   * IllegalStateException while it listens
   */
  @Fluent
  RdmaServer handshakeHandler(@Nullable Handler<RdmaHandshake> handler);

  /** Listens on all suitable fabrics and publishes the name. */
  Future<RdmaServer> listen(String name);

  /** Listens on a host and port over the best fabric with IP addresses, without the directory. Port 0 selects a free one. */
  Future<RdmaServer> listen(SocketAddress address);

  /**
   * Replaces the published metadata of {@link RdmaServerOptions#getMetadata}.
   *
   * @return completes when the directory has it
   * @throws IllegalStateException if it does not listen by name
   */
  Future<Void> updateMetadata(JsonObject metadata);

  /** Returns the port, or -1 if it listens by name only. */
  int actualPort();

  /** Withdraws the name and stops listening. Connections stay open. The server may listen again. */
  Future<Void> withdraw();

  /**
   * Withdraws the name, stops listening and closes its connections as {@link RdmaConnection#shutdown()}. Called when its verticle, {@link
   * Rdma} or Vert.x ends.
   */
  Future<Void> close();

  /** Closes with a timeout for connections. {@link Duration#ZERO} drops undelivered messages immediately. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);
}
