package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * Offer of a connection that two applications arrange by themselves, without listener, directory or connection manager. Each side creates
 * an offer, sends its {@link #token} to the other side by any means, and calls {@link #connect} with the received token, in any order.
 *
 * <p>An offer that is not connected occupies a queue pair and megabytes of registered memory for receives, depending on {@link
 * RdmaOptions#getDataCredits} and {@link RdmaOptions#getBufferSize}. An offer closes with the verticle that created it, and with its {@link
 * Rdma}. Any thread may call methods.
 */
@VertxGen
public interface RdmaOffer {

  /**
   * Returns the token for the peer: some hundred bytes, opaque, constant, valid for one connection. It is neither secret nor a proof of
   * identity. When both sides connect, each proves that it knows the cluster secret and that the tokens are unchanged.
   */
  Buffer token();

  /**
   * Connects to the peer's offer, whose side must also connect to this offer.
   *
   * @param peer token of the peer's offer; not changed or kept
   * @return the connection, whose handlers run on the context that created the offer. Fails with {@link RdmaException}:
   * <ul>
   * <li>{@code PROTOCOL} for an invalid token or another version, and {@code UNREACHABLE} for a token of another fabric; the call may be
   * repeated with another token
   * <li>{@code UNREACHABLE} if the peer does not connect within {@link RdmaOfferOptions#getPeerTimeout}
   * <li>{@code NOT_AUTHENTIC} or {@code REJECTED} if secrets or tokens differ
   * <li>{@code CLOSED} if the offer is closed
   * </ul>
   */
  Future<RdmaConnection> connect(Buffer peer);

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** Closes the offer, but not its connection. Idempotent. */
  Future<Void> close();
}
