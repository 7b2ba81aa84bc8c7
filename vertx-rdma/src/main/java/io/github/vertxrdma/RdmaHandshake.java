package io.github.vertxrdma;

import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Connection request of a peer that has proved the cluster secret. The application accepts or rejects it once, immediately or later. */
@VertxGen
public interface RdmaHandshake {

  String nodeId();

  Buffer privateData();

  /**
   * Accepts the connection, which the server's connect handler receives.
   *
   * @param privateData at most 1,024 bytes for the connecting peer
   * @return the connection, completed after the connect handler has run; fails with {@link RdmaException} CLOSED if the peer has closed
   * @throws IllegalStateException if the request was accepted or rejected before
   */
  Future<RdmaConnection> accept(Buffer privateData);

  default Future<RdmaConnection> accept() {
    return accept(Buffer.buffer());
  }

  /**
   * Rejects the connection. The peer's future fails with the reason. Throws like {@link #accept(Buffer)}.
   *
   * @return completes when the reason was sent, if the peer is still connected
   */
  Future<Void> reject(String reason);
}
