package io.github.vertxrdma;

import io.vertx.core.Future;

/** A region lent to one peer on one connection, with a key of its own. Any thread. */
public interface RegionGrant {

  /** To whom, and what for. */
  RegionHolder holder();

  /**
   * Takes it back: completes when the peer has confirmed that nothing of it is under way any more, or its connection was closed because it
   * did not.
   *
   * @param timeoutMillis how long to wait for the peer
   */
  Future<Void> revoke(long timeoutMillis);
}
