package io.github.vertxrdma;

import io.github.vertxrdma.impl.tagged.RdmaTaggedImpl;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;

/**
 * Tagged messages over any number of connections, with the matching of fi_tagged(3), {@code ucp_tag_recv_nbx} and MPI: a message has a tag
 * of
 * 64 bits, a receive takes the first one whose tag has the bits it asks for, from one connection or from any.
 *
 * <p>A message goes to the oldest receive that it matches. If there is none it is unexpected, and waits; a receive takes the oldest of
 * those that it matches, in the order in which they arrived. So messages of one connection that match the same receives are received in the
 * order they were sent.
 *
 * <p>Unexpected messages are bounded for each connection: beyond that it is paused, and its sender's
 * {@link RdmaConnection#writeQueueFull} turns true, until half of them were received. A receive that then can only be met by what
 * is held back fails with {@link RdmaException.Reason#LIMIT}, in place of waiting for ever. Messages of closed connections may still be
 * received; all of these together may leave as much as one, and beyond that the oldest messages are dropped, with one warning.
 *
 * <p>Both ends of a connection use it so, or neither. Methods may be called from any thread; futures complete on the context of the caller.
 */
public interface RdmaTagged {
  /** Receives a message of whatever length. */
  int ANY_LENGTH = Integer.MAX_VALUE;

  /** Matches messages of connections of one Vert.x, of each of which 1,024 messages may be unexpected, of 16 MiB. */
  static RdmaTagged create(Vertx vertx) {
    return create(vertx, RdmaTaggedImpl.MAX_UNEXPECTED, RdmaTaggedImpl.MAX_UNEXPECTED_BYTES);
  }

  /**
   * Matches messages of connections of one Vert.x. A connection is paused at either bound.
   *
   * @param maxUnexpected messages of one connection that may wait for a receive, and of all closed ones together, 1 …
   * @param maxUnexpectedBytes bytes of them, 1 …; the last message may exceed it
   */
  static RdmaTagged create(Vertx vertx, int maxUnexpected, int maxUnexpectedBytes) {
    return new RdmaTaggedImpl(vertx, maxUnexpected, maxUnexpectedBytes);
  }

  /**
   * Takes a connection's messages. It is also its end, exception and close handler from then on, so a {@code connectHandler} may be
   * {@code tagged::add}.
   *
   * @return completes when the connection is over; fails with the reason if it broke, or {@code PROTOCOL} if the peer's messages have no
   *   tag
   * @throws IllegalArgumentException if it was added before
   */
  Future<Void> add(RdmaConnection connection);

  /**
   * Sends a message, as {@link RdmaConnection#write(Buffer)} does, also over one that was not added.
   *
   * @param message 0 … maxMessageSize less 8 bytes; copied
   */
  Future<Void> send(RdmaConnection to, long tag, Buffer message);

  /** Receives a message with exactly that tag from any connection. */
  default Future<TaggedMessage> receive(long tag) {
    return receive(tag, -1, null, ANY_LENGTH);
  }

  /** Receives a message with those bits of a tag from any connection. */
  default Future<TaggedMessage> receive(long tag, long mask) {
    return receive(tag, mask, null, ANY_LENGTH);
  }

  /**
   * Receives a message.
   *
   * @param mask bits of the tag that have to agree: -1 for all, 0 for any message
   * @param source the connection that it must come by; null for any, those that are added later among them
   * @param maxLength bytes that it may have
   * @return fails with {@link RdmaException}: {@code TRUNCATED} if the message that it matched is longer, which is lost then; {@code LIMIT}
   *   if none of the unexpected ones matches and all that could send one are paused; {@code CONNECTION_LOST} or {@code CLOSED} if the
   *   source has ended
   */
  Future<TaggedMessage> receive(long tag, long mask, RdmaConnection source, int maxLength);

  /** Messages that wait for a receive, of all connections. */
  int unexpected();

  /** Fails the receives and drops what waits, and what comes; the connections stay open. */
  void close();
}
