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
 * Connection to a peer that preserves message boundaries and order. Any thread may call methods. Handlers run on the connection's
 * context. {@link #pause} stops the peer after a limited number of messages; the peer's {@link #writeQueueFull} then becomes true.
 */
@VertxGen
public interface RdmaConnection extends ReadStream<Buffer>, WriteStream<Buffer> {

  /** Sets a handler of messages. The handler owns each buffer that it receives. */
  @Override
  @Fluent
  RdmaConnection handler(@Nullable Handler<Buffer> handler);

  /**
   * Sets a handler that replaces {@link #handler} and reads messages without a copy, in the memory where the fabric wrote them. Unreleased
   * large messages use up to {@link RdmaOptions#getZeroCopyBytes} of such memory; further ones are copied to the heap. The connection
   * releases each message when the handler returns, unless the handler {@linkplain RdmaMessage#retain retained}, released or wrote it.
   *
   * <p>If the fabric maps the peer's memory, as shared memory does, and the handler runs on the connection's event loop, the handler may
   * read a large message in the peer's memory. The peer can change that memory at any time: copy data before you validate it.
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
   * Sets a handler that is called when the peer has called {@link #end}, after all messages of the peer. Called immediately if that has
   * happened already.
   */
  @Override
  @Fluent
  RdmaConnection endHandler(@Nullable Handler<Void> handler);

  /**
   * Sets a handler that is called with the cause when the connection fails, before the close handler. Also called when reconnecting fails.
   */
  @Override
  @Fluent
  RdmaConnection exceptionHandler(@Nullable Handler<Throwable> handler);

  /** Sets a handler that is called when the connection has closed. */
  @Fluent
  RdmaConnection closeHandler(@Nullable Handler<Void> handler);

  /**
   * Sets a handler that is called once before this side closes: by {@link #shutdown(Duration)}, or when the server, {@code Rdma},
   * verticle or Vert.x of the connection closes. Messages that the handler writes before it returns are still sent. Not called for
   * {@link #close}, a shutdown with zero time, or a close by the peer.
   *
   * @param handler receives the remaining time
   */
  @Fluent
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RdmaConnection shutdownHandler(@Nullable Handler<Duration> handler);

  /**
   * Sets a handler for a new connection that replaces this one when it closes, unless this side ended or closed it. After the close
   * handler, connects to the same name or address with the same options; device, fabric and service instance may differ. If this
   * connection was open for less than {@link RdmaConnectOptions#getReconnectInterval}, waits for that time first. Retries
   * {@link RdmaConnectOptions#getReconnectAttempts} times. Closing this connection or setting null stops reconnecting.
   *
   * <p>Messages, requests, grants and handlers are not moved. Pending operations fail and are not repeated.
   *
   * @param handler receives the new connection, without handlers. Never called for accepted connections
   */
  @Fluent
  RdmaConnection reconnectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sends a message of 0 … maxMessageSize bytes.
   *
   * @return completes when the message is posted to the device. The peer may not have received it yet, see {@link #flush()}. Fails with
   * {@link RdmaException}: {@code TOO_LARGE}, {@code CLOSED}, {@code CONNECTION_LOST}
   */
  @Override
  Future<Void> write(Buffer message);

  /**
   * Allocates an empty message for {@link #write(RdmaMessage)}. A large message is allocated in registered memory, up to
   * {@link RdmaOptions#getZeroCopyBytes} in total, and is sent without a copy. A connection of another device or event loop copies it
   * when it is written there.
   *
   * @param size 0 … maxMessageSize bytes; a body that grows beyond this size moves to the heap
   * @return completes when memory is available, possibly after memory was registered; never waits until other messages are released
   */
  Future<RdmaMessage> allocate(int size);

  /**
   * Sends a message from {@link #allocate} or a received one, and takes ownership. The connection releases it when the peer has received
   * it, or when sending fails.
   *
   * @return as {@link #write(Buffer)}
   * @throws IllegalStateException if the message was released or written before
   */
  Future<Void> write(RdmaMessage message);

  /**
   * Waits until every message that this thread wrote on this connection before is in the memory of the peer's process. Takes one round
   * trip and does not delay later writes. There is no timeout while the peer is alive but reads slowly.
   *
   * @return fails with {@link RdmaException} {@code CONNECTION_LOST} or {@code CLOSED} if the connection ends first; messages may have
   * arrived nevertheless. Also fails with {@code CLOSED} if a message was written after the end or the close. Messages that failed with
   * {@code TOO_LARGE} are ignored
   */
  Future<Void> flush();

  /**
   * Ends this side: it writes no more messages, but still receives those of the peer.
   *
   * @return completes when the peer has received everything written
   */
  @Override
  Future<Void> end();

  /** Sets the number of bytes of messages not yet posted at which {@link #writeQueueFull} becomes true. */
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
   * #pause} alone does not delay them. A side that has called {@link #end} can neither send requests nor reply.
   *
   * @param body at most maxMessageSize less 16 bytes; copied
   * @param timeout at least 1 ms
   * @return completes with the reply, whose buffer the caller owns. Fails with {@link RdmaException}:
   * <ul>
   * <li>{@code REJECTED} with the message of a failed handler
   * <li>{@code TIMEOUT}, {@code CONNECTION_LOST} or {@code CLOSED}, when the request may have been executed
   * <li>{@code LIMIT} if 1,024 requests wait at either side, or maxMessageSize bytes of requests wait at the peer. Also if the request
   * was executed but 64 MiB of earlier replies wait at the peer
   * <li>{@code TOO_LARGE}, also if the request was executed but its reply is too large
   * <li>{@code UNSUPPORTED} if the peer has removed its handler, or its version of this library has no requests
   * </ul>
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Buffer> request(Buffer body, Duration timeout);

  /**
   * Sets the handler of the peer's requests. Requests that arrive before the first handler is set wait for it. After the handler is
   * removed, requests fail.
   *
   * @param handler receives and owns the request's body, and returns a future of the reply. If the future fails, the message of the
   * failure is sent to the peer. Null removes the handler
   */
  @Fluent
  RdmaConnection requestHandler(@Nullable Function<Buffer, Future<Buffer>> handler);

  /**
   * Closes when the peer has received all written messages.
   *
   * @return fails if the peer is lost, or makes no progress for {@link RdmaOptions#getCloseIdleTimeout}, with the number of undelivered
   * bytes
   */
  Future<Void> close();

  /** Closes within {@link RdmaOptions#getCloseTimeout}. */
  Future<Void> shutdown();

  /**
   * Calls the {@link #shutdownHandler}, then closes when the peer has received all written messages, or when the time has elapsed.
   * {@link Duration#ZERO} drops undelivered messages immediately. A later call can only shorten the time.
   *
   * @return fails if a message was not delivered in time
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);

  /** Grants a region to the peer with the region's access, until the connection closes. */
  default Future<RegionGrant> grant(MemoryRegion region) {
    return grant(region, region.access(), null);
  }

  /**
   * Grants a region to the peer, on this connection only.
   *
   * @param region of this connection's {@link Rdma}, or of one with equal options in the same Vert.x
   * @param lifetime after which the grant is revoked; null until the connection closes
   * @return fails with {@link RdmaException}: {@code UNSUPPORTED} for other regions, {@code ACCESS_DENIED} for more than reads of read-only
   * memory
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RegionGrant> grant(MemoryRegion region, Set<RegionAccess> access, @Nullable Duration lifetime);

  /** Sets the handler of regions that the peer grants. While 1,024 grants wait for the handler, further ones fail with {@code LIMIT}. */
  @Fluent
  RdmaConnection grantHandler(@Nullable Handler<RemoteRegion> handler);

  /**
   * Sets whether the event loop polls without sleeping while the connection is open, whatever the poll policy. Messages then arrive without
   * the delay of a wake-up, but the thread occupies a core.
   */
  @Fluent
  RdmaConnection setBusyPoll(boolean on);

  /** Returns the smaller {@link RdmaOptions#getMaxMessageSize} of both sides. */
  int maxMessageSize();

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  String remoteNodeId();

  /** Returns the peer's {@link RdmaOptions#setName name}, or its node id if the directory does not contain the node. */
  String remoteNodeName();

  /** Returns the peer's address on the fabric: host and port, or a domain socket address of device and name; null if unknown. */
  @Nullable
  SocketAddress remoteAddress();

  @Nullable
  SocketAddress localAddress();

  /** Returns the data that the peer sent when it connected or accepted. */
  Buffer privateData();
}
