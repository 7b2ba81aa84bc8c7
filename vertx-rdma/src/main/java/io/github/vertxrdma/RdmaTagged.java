package io.github.vertxrdma;

import io.github.vertxrdma.impl.api.RdmaTaggedImpl;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * Tagged messages over connections, with the matching of fi_tagged(3), {@code ucp_tag_recv_nbx} and MPI. Each message has a 64-bit tag. A
 * receive names tag bits and optionally a connection, and gets the first matching message.
 *
 * <p>A message is delivered to the oldest matching receive. A message without a matching receive is unexpected: it waits. A new receive
 * gets the oldest matching unexpected message. Messages of one connection that match the same receives keep their order.
 *
 * <p>Unexpected messages are limited per connection. At the limit the connection is paused until half of them are received. If all
 * connections that could send a matching message are paused, the receive fails with {@link RdmaException.Reason#LIMIT}. Unexpected messages
 * of closed connections can still be received. All closed connections together have the limit of one open connection; above it the oldest
 * messages are dropped with one warning.
 *
 * <p>Either both ends of a connection use tags, or neither. Any thread may call methods. Futures complete on the caller's context.
 */
public interface RdmaTagged {
  int ANY_LENGTH = Integer.MAX_VALUE;

  /** Creates a matcher for connections of one node, with at most 1,024 unexpected messages and 16 MiB per connection. */
  static RdmaTagged create(Rdma rdma) {
    return create(rdma, RdmaTaggedImpl.MAX_UNEXPECTED, RdmaTaggedImpl.MAX_UNEXPECTED_BYTES);
  }

  /**
   * Creates a matcher for connections of one node.
   *
   * @param maxUnexpected maximum number of unexpected messages per connection, and of all closed connections together; at least 1
   * @param maxUnexpectedBytes maximum bytes of these messages, at least 1; the last message may exceed it
   */
  static RdmaTagged create(Rdma rdma, int maxUnexpected, int maxUnexpectedBytes) {
    return new RdmaTaggedImpl(rdma.vertx(), maxUnexpected, maxUnexpectedBytes);
  }

  /**
   * Adds a connection, and sets its message, end, exception and close handlers. A {@code connectHandler} may be {@code tagged::add}.
   *
   * @return completes when the connection has closed; fails with the cause, or {@code PROTOCOL} if the peer's messages have no tag
   * @throws IllegalArgumentException if the connection was added before
   */
  Future<Void> add(RdmaConnection connection);

  /**
   * Sends a message like {@link RdmaConnection#write(Buffer)}, also over a connection that was not added.
   *
   * @param message at most maxMessageSize less 8 bytes; copied
   */
  Future<Void> send(RdmaConnection to, long tag, Buffer message);

  /** Receives a message whose tag equals {@code tag}, from any connection. */
  default Future<TaggedMessage> receive(long tag) {
    return receive(tag, -1, null, ANY_LENGTH);
  }

  /** Receives a message whose tag equals {@code tag} in the bits of {@code mask}, from any connection. */
  default Future<TaggedMessage> receive(long tag, long mask) {
    return receive(tag, mask, null, ANY_LENGTH);
  }

  /**
   * Receives a message.
   *
   * @param mask tag bits to compare: -1 for all, 0 for any message
   * @param source connection of the message; null for any, including connections that are added later
   * @param maxLength maximum bytes of the message
   * @return fails with {@link RdmaException}: {@code TRUNCATED} if the matching message is longer than maxLength, which drops it; {@code
   * LIMIT} if no unexpected message matches and all possible senders are paused; {@code CONNECTION_LOST} or {@code CLOSED} if the source
   * connection has ended
   */
  Future<TaggedMessage> receive(long tag, long mask, RdmaConnection source, int maxLength);

  /** Returns the number of unexpected messages. */
  int unexpected();

  /** Fails all receives, and drops unexpected and later messages. The connections stay open. */
  void close();
}
