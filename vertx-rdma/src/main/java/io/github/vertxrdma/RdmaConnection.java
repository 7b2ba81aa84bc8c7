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
 * Connection to a peer that preserves message boundaries and order. Handlers run on the connection's context. A paused reader receives no
 * further credits, until the peer's {@link #writeQueueFull} is true.
 */
@VertxGen
public interface RdmaConnection extends ReadStream<Buffer>, WriteStream<Buffer> {

  /** Sets a handler of messages, which owns the buffers. */
  @Override
  @Fluent
  RdmaConnection handler(@Nullable Handler<Buffer> handler);

  /**
   * Sets a handler, in place of {@link #handler}, that reads messages in the memory where the fabric wrote them, up to {@link
   * RdmaOptions#getZeroCopyBytes} of unreleased large ones. The connection releases each message when the handler returns, unless the
   * handler {@linkplain RdmaMessage#retain retained}, released or wrote it.
   *
   * <p>If the fabric maps memory, as shared memory does, and the handler runs on the connection's event loop, a large message in one piece
   * stays in the peer's memory. The peer may change its memory at any time: copy data before checking it.
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

  /** Sets a handler that is called when the peer has ended its side, after all messages. Called immediately if it has ended already. */
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
   * Sets a handler that is called once before this side closes: when its server, {@code Rdma}, verticle or Vert.x ends, or by {@link
   * #shutdown(Duration)}. The peer receives what the handler writes before it returns. Not called for {@link #close}, a shutdown with zero
   * time, or a close by the peer.
   *
   * @param handler receives the remaining time
   */
  @Fluent
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RdmaConnection shutdownHandler(@Nullable Handler<Duration> handler);

  /**
   * Replaces this connection when it closes, unless this side ended or closed it. Connects after the close handler, to the same name or
   * address with the same options, over any available device, fabric and instance. If this connection lived shorter than {@link
   * RdmaConnectOptions#getReconnectInterval}, waits for that time. Retries {@link RdmaConnectOptions#getReconnectAttempts} times. Closing
   * this connection or setting null stops that.
   *
   * <p>Messages, requests, grants and handlers are not moved. Pending operations fail and are not repeated.
   *
   * @param handler receives the new connection, without handlers. Never called for accepted or out-of-band connections
   */
  @Fluent
  RdmaConnection reconnectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sends a message of 0 … maxMessageSize bytes.
   *
   * @return completes when the message is posted, which proves nothing about the peer, see {@link #flush()}. Fails with {@link
   * RdmaException}: {@code TOO_LARGE}, {@code CLOSED}, {@code CONNECTION_LOST}
   */
  @Override
  Future<Void> write(Buffer message);

  /**
   * Allocates an empty message for {@link #write(RdmaMessage)}. A large one is in registered memory, up to {@link
   * RdmaOptions#getZeroCopyBytes}, and sent without a copy. Connections of another device or event loop copy it.
   *
   * @param size 0 … maxMessageSize bytes; a body that grows beyond it moves to the heap
   * @return completes when memory is available, possibly after a registration; never waits for releases
   */
  Future<RdmaMessage> allocate(int size);

  /**
   * Sends and owns a message of {@link #allocate} or a received one, which is released when the peer has it, or on failure.
   *
   * @return as {@link #write(Buffer)}
   * @throws IllegalStateException if the message was released or written before
   */
  Future<Void> write(RdmaMessage message);

  /**
   * Waits until everything written before, on this connection and from this thread, is in the memory of the peer's process. Takes a round
   * trip, and does not delay writes. Waits without a timeout while the peer reads slowly.
   *
   * @return fails with {@link RdmaException} {@code CONNECTION_LOST} or {@code CLOSED} if the connection ends first, when messages may have
   * arrived, and with {@code CLOSED} if something was written after the end or the close. Messages that were {@code TOO_LARGE} do not count
   */
  Future<Void> flush();

  /**
   * Ends this side.
   *
   * @return completes when the peer has received everything written
   */
  @Override
  Future<Void> end();

  /** Sets the limit of unposted bytes at which {@link #writeQueueFull} is true. */
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
   * Sends a request to the peer's {@link #requestHandler}. Unread messages hold requests and replies back, but {@link #pause} and {@link
   * #fetch} do not. A side that has ended can neither send requests nor reply.
   *
   * @param body at most maxMessageSize less 16 bytes; copied
   * @param timeout at least 1 ms
   * @return completes with the reply, whose buffer the caller owns. Fails with {@link RdmaException}:
   * <ul>
   * <li>{@code REJECTED} with the message of a failed handler
   * <li>{@code TIMEOUT}, {@code CONNECTION_LOST} or {@code CLOSED}, when the request may have been executed
   * <li>{@code LIMIT} if 1,024 requests wait at either side, or maxMessageSize bytes of them at the peer, and, although executed, if the
   * reply would wait behind 64 MiB of others
   * <li>{@code TOO_LARGE}
   * <li>{@code UNSUPPORTED} if the peer's handler was removed or its version has none
   * </ul>
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Buffer> request(Buffer body, Duration timeout);

  /**
   * Sets the handler of the peer's requests. Earlier requests wait for the first handler. After its removal requests are refused.
   *
   * @param handler receives the body, which it owns, and returns a future of the reply, or of a failure whose message is sent; null to
   * remove it
   */
  @Fluent
  RdmaConnection requestHandler(@Nullable Function<Buffer, Future<Buffer>> handler);

  /**
   * Closes after everything written has reached the peer, however slowly.
   *
   * @return fails if the peer is lost, or makes no progress for {@link RdmaOptions#getCloseIdleTimeout}, with the number of undelivered
   * bytes
   */
  Future<Void> close();

  /** Closes within {@link RdmaOptions#getCloseTimeout}. */
  Future<Void> shutdown();

  /**
   * Closes after the {@link #shutdownHandler} and everything written, within a time. {@link Duration#ZERO} drops undelivered messages
   * immediately. A later call can only shorten the time.
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

  /** Sets the handler of regions that the peer grants. Grants are refused with {@code LIMIT} while 1,024 wait for it. */
  @Fluent
  RdmaConnection grantHandler(@Nullable Handler<RemoteRegion> handler);

  /**
   * Sets whether the event loop polls without sleeping while the connection is open, whatever the poll policy. Saves the wake-up and
   * occupies a core.
   */
  @Fluent
  RdmaConnection setBusyPoll(boolean on);

  /** Returns the smaller {@link RdmaOptions#getMaxMessageSize} of both sides. */
  int maxMessageSize();

  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  String remoteNodeId();

  /** Returns the peer's {@link RdmaOptions#setName name}, or its node id if the directory does not have it. */
  String remoteNodeName();

  /** Returns the peer's address on the fabric: host and port, or a domain socket address of device and name; null if unknown. */
  @Nullable
  SocketAddress remoteAddress();

  @Nullable
  SocketAddress localAddress();

  /** Returns the data that the peer sent when it connected or accepted. */
  Buffer privateData();
}
