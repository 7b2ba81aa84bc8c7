package io.github.vertxrdma;

import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Connection request of a peer that has proved the cluster secret. The application accepts or rejects it, immediately or later. */
@VertxGen
public interface RdmaHandshake {

  String nodeId();

  Buffer privateData();

  /**
   * Accepts the connection. The server's connect handler receives the connection.
   *
   * @param privateData at most 1,024 bytes for the connector
   * @return the connection, completed after the connect handler has run; fails with {@link RdmaException} {@code CLOSED} if the connector
   * has closed
   * @throws IllegalStateException if the request was accepted or rejected before
   */
  Future<RdmaConnection> accept(Buffer privateData);

  default Future<RdmaConnection> accept() {
    return accept(Buffer.buffer());
  }

  /**
   * Rejects the connection. The connector's future fails with the reason.
   *
   * @return completes when the reason was sent, if the connector is still connected
   * @throws IllegalStateException if the request was accepted or rejected before
   */
  Future<Void> reject(String reason);
}
