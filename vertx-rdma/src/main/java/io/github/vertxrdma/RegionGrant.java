package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import java.time.Duration;

/** A region granted to one peer on one connection, with a key of its own. Any thread. */
@VertxGen
public interface RegionGrant {

  /** To whom, and what for. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RegionHolder holder();

  /**
   * Takes it back: completes when the peer has confirmed that nothing of it is under way any more, or its connection was closed because it
   * did not.
   *
   * @param timeout how long to wait for the peer, more than 0
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Takes it back, with 10 s for the peer. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }
}
