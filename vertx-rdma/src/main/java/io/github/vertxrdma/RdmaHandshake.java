package io.github.vertxrdma;

import io.vertx.core.buffer.Buffer;

/** Somebody who has proved to know the cluster secret and wants to connect; answered by accept or reject, now or later. */
public interface RdmaHandshake {

  /** The node it comes from. */
  String nodeId();

  /** Facts that it gave of itself. */
  Buffer privateData();

  /** Accepts; the server's connect handler hears it. @param privateData at most 1,024 bytes, the connector sees them */
  void accept(Buffer privateData);

  /** Accepts. */
  default void accept() {
    accept(Buffer.buffer());
  }

  /** Refuses; the connector's future fails with these words. */
  void reject(String reason);
}
