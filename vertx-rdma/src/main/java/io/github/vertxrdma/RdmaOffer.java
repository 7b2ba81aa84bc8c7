package io.github.vertxrdma;

import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * An offer of a connection that is made out of band: without listener, directory or connection manager, peer to peer. Each side makes an
 * offer, carries its {@link #token} to the other by means of its own (a message, a file, a request of HTTP), and {@link #connect
 * connects} with what it got. The order does not matter, and both sides do the same.
 *
 * <p>Until it is connected an offer holds a queue pair and its receives (megabytes of registered memory, by {@link
 * RdmaOptions#getDataCredits} and {@link RdmaOptions#getBufferSize}): {@link #close} one that is not needed. Undeploying the verticle that
 * made it closes it, as closing its {@link Rdma} does. Methods may be called from any thread.
 */
@VertxGen
public interface RdmaOffer {

  /**
   * What the peer needs: some hundred bytes, opaque, the same at every call, good for this end and one connection. Nothing in it is
   * secret, and it authenticates nobody: both ends prove the cluster secret, and that they have the same two descriptions, when they
   * connect.
   */
  Buffer token();

  /**
   * Connects with the end that is described, which has to connect with this one.
   *
   * @param peer what {@link #token} of the peer's end gave; not changed, and not needed afterwards
   * @return the connection, whose handlers run on the context that made the end. Fails with {@link RdmaException}: {@code PROTOCOL} for
   *   bytes that are no description, not all of one, or of another version, {@code UNREACHABLE} for an end on another fabric, after which
   *   it may be called again with the right ones; {@code UNREACHABLE} if the peer does not connect within {@link
   *   RdmaOfferOptions#getPeerTimeout}, {@code NOT_AUTHENTIC} or {@code REJECTED} if the secrets or what was carried differ, {@code
   *   CLOSED} if it is closed meanwhile, after which the end is closed. A second connection of an end is refused
   */
  Future<RdmaConnection> connect(Buffer peer);

  /** The fabric it is on, and why. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** Gives up an end that has no connection; one that it has lives on. Idempotent. */
  Future<Void> close();
}
