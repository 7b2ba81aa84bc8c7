package io.github.vertxrdma;

import io.vertx.codegen.annotations.Fluent;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.Nullable;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.streams.ReadStream;
import io.vertx.core.streams.WriteStream;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/**
 * Connection to a peer that sends and receives whole messages in order. Any thread may call methods. Handlers run on the connection's
 * context, where {@code connect} or {@code listen} was called. After {@link #pause}, the peer can send a few messages; then its {@link
 * #writeQueueFull} becomes true.
 */
@VertxGen
public interface RdmaConnection extends ReadStream<Buffer>, WriteStream<Buffer> {

  /** Sets the handler of messages. The handler owns each buffer that it receives. */
  @Override
  @Fluent
  RdmaConnection handler(@Nullable Handler<Buffer> handler);

  /**
   * Sets a handler that replaces {@link #handler} and reads messages in the memory where they arrived, without a copy to the heap.
   * Unreleased large messages use at most {@link RdmaOptions#getZeroCopyBytes}; further ones are copied. The connection releases a message
   * when the handler returns, unless the handler {@linkplain RdmaMessage#retain retained}, released or wrote it.
   *
   * <p>Over shared memory, the peer can change a message at any time: copy data before you validate it.
   */
  @Fluent
  RdmaConnection messageHandler(@Nullable Handler<RdmaMessage> handler);

  @Override
  @Fluent
  RdmaConnection pause();

  @Override
  @Fluent
  default RdmaConnection resume() {
    return fetch(Long.MAX_VALUE);
  }

  @Override
  @Fluent
  RdmaConnection fetch(long amount);

  /**
   * Sets a handler that is called after the peer's last message, when the peer has called {@link #end} or the connection has closed without
   * failure. Called immediately if that has happened.
   */
  @Override
  @Fluent
  RdmaConnection endHandler(@Nullable Handler<Void> handler);

  /**
   * Sets a handler that is called with the cause when the connection fails, before the close handler. Also called when reconnecting fails.
   * Not called when the peer closes the connection: messages that it has not received then fail with CLOSED.
   */
  @Override
  @Fluent
  RdmaConnection exceptionHandler(@Nullable Handler<Throwable> handler);

  /** Sets a handler that is called when the connection has closed, or immediately if it is closed already. */
  @Fluent
  RdmaConnection closeHandler(@Nullable Handler<Void> handler);

  /**
   * Sets a handler that is called once before this side closes: by {@link #shutdown(Duration)}, or when the connection's server, {@code
   * Rdma}, verticle or Vert.x closes. Messages that the handler writes before it returns are still sent. Not called for {@link #close}, a
   * shutdown with zero time, or a close by the peer.
   *
   * @param handler receives the remaining time
   */
  @Fluent
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RdmaConnection shutdownHandler(@Nullable Handler<Duration> handler);

  /**
   * Sets a handler that receives a new connection after this one failed or the peer closed it. The client connects after the close handler,
   * to the same name or address with the same options. If this connection was open for less than {@link
   * RdmaConnectOptions#getReconnectInterval}, the client first waits for that time. Setting null, or ending or closing this connection,
   * stops reconnecting.
   *
   * <p>The new connection has no handlers, requests or grants. Pending operations fail and are not repeated.
   *
   * @param handler never called for connections that a server accepted
   */
  @Fluent
  RdmaConnection reconnectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sends a message of 0 … {@link #maxMessageSize} bytes.
   *
   * @param message must not be changed until the future completes
   * @return completes when the network device has taken the message; {@link #flush()} waits for its arrival. Fails with {@link
   * RdmaException}: TOO_LARGE, CLOSED, CONNECTION_LOST
   */
  @Override
  Future<Void> write(Buffer message);

  /**
   * Allocates an empty message for {@link #write(RdmaMessage)}. A large message uses memory that the network device reads directly
   * (registered memory), up to {@link RdmaOptions#getZeroCopyBytes} in total, and is sent without a copy. A connection of another device or
   * event loop copies the message.
   *
   * @param size 0 … maxMessageSize bytes; a body that grows beyond this size moves to the heap
   * @return completes when memory is available; does not wait for the release of other messages
   */
  Future<RdmaMessage> allocate(int size);

  /**
   * Sends a message from {@link #allocate} or a received one, and takes ownership. The connection releases the message when the peer has
   * received it, or when sending fails. Completes like {@link #write(Buffer)}.
   *
   * @throws IllegalStateException if the message was released or written before
   */
  Future<Void> write(RdmaMessage message);

  /**
   * Waits until every message that this thread wrote before is in the memory of the peer's process. Takes one round trip and does not delay
   * later writes. There is no timeout while the peer is alive.
   *
   * @return fails with {@link RdmaException} CONNECTION_LOST or CLOSED if the connection ends first; messages may have arrived
   * nevertheless. Also fails with CLOSED if a message was written after the end or the close
   */
  Future<Void> flush();

  /**
   * Ends this side: it writes no more messages, but still receives those of the peer.
   *
   * @return completes when the peer has received all written messages
   */
  @Override
  Future<Void> end();

  /**
   * Sets the number of bytes waiting for the network device at which {@link #writeQueueFull} becomes true.
   *
   * @param bytes at least 1; 262,144 by default
   */
  @Override
  @Fluent
  RdmaConnection setWriteQueueMaxSize(int bytes);

  @Override
  @Fluent
  RdmaConnection drainHandler(@Nullable Handler<Void> handler);

  /** Sends a request with a timeout of 30 s. */
  default Future<Buffer> request(Buffer body) {
    return request(body, Duration.ofSeconds(30));
  }

  /**
   * Sends a request to the peer's {@link #requestHandler}. Requests and replies wait while the peer has many unread messages; {@link
   * #pause} alone does not delay them. After {@link #end}, a side can neither send requests nor reply.
   *
   * @param body at most maxMessageSize less 16 bytes; copied
   * @param timeout at least 1 ms
   * @return completes with the reply, whose buffer the caller owns. Fails with {@link RdmaException}:
   * <ul>
   * <li>REJECTED with the message of a failed handler
   * <li>TIMEOUT, CONNECTION_LOST or CLOSED, when the peer may have executed the request
   * <li>LIMIT if 1,024 requests wait at either side, or maxMessageSize bytes of requests at the peer. Also if the peer executed the request
   * while 64 MiB of replies were unsent
   * <li>TOO_LARGE, also if the peer executed the request but its reply is too large
   * <li>UNSUPPORTED if the peer has removed its handler, shuts the connection down while it executes earlier requests, or has a version
   * without requests
   * </ul>
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Buffer> request(Buffer body, Duration timeout);

  /**
   * Sets the handler of the peer's requests. Requests wait until the first handler is set. After the handler is removed, requests fail.
   *
   * @param handler receives and owns the request's body, and returns a future of the reply. If the future fails, the peer receives the
   * failure's message. Null removes the handler
   */
  @Fluent
  RdmaConnection requestHandler(@Nullable Function<Buffer, Future<Buffer>> handler);

  /**
   * Closes the connection when the peer has received all written messages.
   *
   * @return fails with {@link RdmaException}: CONNECTION_LOST, or TIMEOUT with the number of unsent bytes if the peer makes no progress for
   * {@link RdmaOptions#getCloseIdleTimeout}
   */
  Future<Void> close();

  /** Closes like {@link #shutdown(Duration)} with {@link RdmaOptions#getCloseTimeout}. */
  Future<Void> shutdown();

  /**
   * Calls the {@link #shutdownHandler}, and executes no more requests of the peer. Then closes when the replies to earlier requests are
   * sent and the peer has received all written messages, or when the time has elapsed. {@link Duration#ZERO} drops undelivered messages
   * immediately. A later call can only shorten the time.
   *
   * @return fails if a message was not delivered in time
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);

  /** Gives the peer the region's access until the connection closes. */
  default Future<RegionGrant> grant(MemoryRegion region) {
    return grant(region, region.access(), null);
  }

  /**
   * Gives the peer access to a region on this connection. The peer's {@link #grantHandler} receives the region.
   *
   * @param region of this connection's {@link Rdma}, or of one with equal options in the same Vert.x
   * @param lifetime time after which the grant is revoked; null until the connection closes
   * @return fails with {@link RdmaException}: UNSUPPORTED for a region of another {@link Rdma}, ACCESS_DENIED for more than reads of
   * read-only memory, REJECTED or LIMIT if the peer takes no more grants
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RegionGrant> grant(MemoryRegion region, Set<RegionAccess> access, @Nullable Duration lifetime);

  /**
   * Sets the handler of regions to which the peer gives access. Until then, 64 grants wait, and further ones fail with REJECTED. A peer can
   * grant 1,024 regions at a time; further grants fail with LIMIT.
   */
  @Fluent
  RdmaConnection grantHandler(@Nullable Handler<RemoteRegion> handler);

  /**
   * Sets whether the event loop checks for messages without sleeping while the connection is open. Messages then arrive without a wake-up
   * delay, but the thread occupies a core.
   */
  @Fluent
  RdmaConnection setBusyPoll(boolean on);

  /** Returns the largest message in bytes: the smaller {@link RdmaOptions#getMaxMessageSize} of both sides. */
  int maxMessageSize();

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  String remoteNodeId();

  /** Returns the peer's {@link RdmaOptions#setName name}, or its node id if the name is unknown. */
  String remoteNodeName();

  /** Returns the peer's address on the fabric: host and port, or a domain socket address of device and name; null if unknown. */
  @Nullable
  SocketAddress remoteAddress();

  @Nullable
  SocketAddress localAddress();

  /** Returns the data that the peer's application sent when it connected or accepted. */
  Buffer privateData();
}
