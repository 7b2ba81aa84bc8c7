package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * An offer of a connection made out of band, peer to peer, without listener, directory or connection manager. Each side creates an offer,
 * sends its {@link #token} to the other by its own means (message, file, HTTP request), and calls {@link #connect} with the token received.
 * Both sides do the same, in any order.
 *
 * <p>An unconnected offer holds a queue pair and its receives (megabytes of registered memory, by {@link RdmaOptions#getDataCredits} and
 * {@link RdmaOptions#getBufferSize}): {@link #close} one that is not needed. Closes with the verticle that created it, and with its {@link
 * Rdma}. Methods may be called from any thread.
 */
@VertxGen
public interface RdmaOffer {

  /**
   * Returns the token for the peer: some hundred bytes, opaque, constant, valid for one connection. It is neither secret nor a proof of
   * identity: when they connect, both ends prove the cluster secret and that both tokens are unchanged.
   */
  Buffer token();

  /**
   * Connects to the peer's offer, which has to connect to this one.
   *
   * @param peer token of the peer's offer; not changed or kept
   * @return the connection, whose handlers run on the context that created the offer. Fails with {@link RdmaException}: {@code PROTOCOL}
   * for an invalid or incomplete token or another version, and {@code UNREACHABLE} for one of another fabric: may be repeated with another
   * token; {@code UNREACHABLE} if the peer does not connect within {@link RdmaOfferOptions#getPeerTimeout}, {@code NOT_AUTHENTIC} or {@code
   * REJECTED} if secrets or tokens differ, {@code CLOSED}: the offer is closed. A second connection is refused
   */
  Future<RdmaConnection> connect(Buffer peer);

  /** Returns the fabric in use, and why. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** Closes the offer. Its connection stays open. Idempotent. */
  Future<Void> close();
}
