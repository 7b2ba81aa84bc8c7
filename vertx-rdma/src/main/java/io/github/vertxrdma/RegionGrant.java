package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import java.time.Duration;

/** Access of one peer to a region on one connection, until it is revoked or the connection closes. Any thread may call methods. */
@VertxGen
public interface RegionGrant {

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RegionHolder holder();

  /**
   * Ends the peer's access. Completes when the peer has confirmed that it has no operations in flight. If the peer does not confirm in
   * time, its connection is closed.
   *
   * @param timeout for the confirmation, at least 1 ms
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Revokes the grant within 10 s. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }
}
