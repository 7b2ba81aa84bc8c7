package io.github.vertxrdma;

import io.github.vertxrdma.impl.api.RdmaTaggedImpl;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;

/**
 * Tagged messages over connections, with the matching of fi_tagged(3), {@code ucp_tag_recv_nbx} and MPI. Each message has a 64-bit tag. A
 * receive takes the first message with the requested tag bits, from one connection or any.
 *
 * <p>A message goes to the oldest matching receive. Otherwise it is unexpected and waits. A receive takes the oldest matching message.
 * Messages of one connection that match the same receives keep their order.
 *
 * <p>Unexpected messages are limited per connection. At the limit the connection is paused until half of them are received. A receive that
 * only paused connections could satisfy fails with {@link RdmaException.Reason#LIMIT}. Messages of closed connections stay receivable.
 * Together they have the limit of one connection, above which the oldest are dropped with one warning.
 *
 * <p>Both ends of a connection must use tags, or neither. Any thread may call methods. Futures complete on the caller's context.
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
   * @param maxUnexpected messages per connection, and of all closed ones together; at least 1
   * @param maxUnexpectedBytes their bytes, at least 1; the last message may exceed it
   */
  static RdmaTagged create(Rdma rdma, int maxUnexpected, int maxUnexpectedBytes) {
    return new RdmaTaggedImpl(rdma.vertx(), maxUnexpected, maxUnexpectedBytes);
  }

  /**
   * Adds a connection, and sets its message, end, exception and close handlers. A {@code connectHandler} may be {@code tagged::add}.
   *
   * @return completes when the connection has closed; fails with the cause, or {@code PROTOCOL} if the peer's messages have no tag
   * @throws IllegalArgumentException if it was added before
   */
  Future<Void> add(RdmaConnection connection);

  /**
   * Sends a message like {@link RdmaConnection#write(Buffer)}, also over a connection that was not added.
   *
   * @param message at most maxMessageSize less 8 bytes; copied
   */
  Future<Void> send(RdmaConnection to, long tag, Buffer message);

  /** Receives a message with that tag from any connection. */
  default Future<TaggedMessage> receive(long tag) {
    return receive(tag, -1, null, ANY_LENGTH);
  }

  /** Receives a message with those tag bits from any connection. */
  default Future<TaggedMessage> receive(long tag, long mask) {
    return receive(tag, mask, null, ANY_LENGTH);
  }

  /**
   * Receives a message.
   *
   * @param mask tag bits to compare: -1 for all, 0 for any message
   * @param source connection of the message; null for any, including later ones
   * @param maxLength maximum bytes
   * @return fails with {@link RdmaException}: {@code TRUNCATED} if the matching message is longer, and lost; {@code LIMIT} if no unexpected
   * message matches and all possible senders are paused; {@code CONNECTION_LOST} or {@code CLOSED} if the source has ended
   */
  Future<TaggedMessage> receive(long tag, long mask, RdmaConnection source, int maxLength);

  /** Returns the number of unexpected messages. */
  int unexpected();

  /** Fails receives, and drops waiting and later messages. The connections stay open. */
  void close();
}
