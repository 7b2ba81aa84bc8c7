package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import java.time.Duration;

/** Region granted to one peer on one connection, with a separate key. Any thread. */
@VertxGen
public interface RegionGrant {

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RegionHolder holder();

  /**
   * Revokes the grant. Completes when the peer has confirmed that it has no operations in flight, or when its connection was closed without
   * that.
   *
   * @param timeout for the peer, more than 0
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Revokes the grant within 10 s. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }
}
