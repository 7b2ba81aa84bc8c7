package io.github.vertxrdma;

import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/** Somebody who has proved to know the cluster secret and wants to connect; answered by accept or reject, now or later. */
@VertxGen
public interface RdmaHandshake {

  /** The node it comes from. */
  String nodeId();

  /** Facts that it gave of itself. */
  Buffer privateData();

  /**
   * Accepts; the server's connect handler hears it.
   *
   * @param privateData at most 1,024 bytes, the connector sees them
   * @return the connection, after the connect handler had it; fails with {@link RdmaException} {@code CLOSED} if the connector is gone
   * @throws IllegalStateException if it was answered before
   */
  Future<RdmaConnection> accept(Buffer privateData);

  /** Accepts. */
  default Future<RdmaConnection> accept() {
    return accept(Buffer.buffer());
  }

  /**
   * Refuses; the connector's future fails with these words.
   *
   * @return completes when it was told, as far as it is there
   * @throws IllegalStateException if it was answered before
   */
  Future<Void> reject(String reason);
}
