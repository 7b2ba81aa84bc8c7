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
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;
import java.util.function.Function;

/**
 * A connection to a peer: messages keep their bounds and their order, each buffer read is one that was written. Handlers run on the
 * connection's context. A paused reader holds the peer back: it is granted no more receives, and its {@link #writeQueueFull} turns true.
 */
@VertxGen
public interface RdmaConnection extends ReadStream<Buffer>, WriteStream<Buffer> {

  /** Hears each message; the buffer belongs to the handler. */
  @Override
  @Fluent
  RdmaConnection handler(@Nullable Handler<Buffer> handler);

  /**
   * Hears each message, in place of {@link #handler}, and releases it. A large one lies where the fabric has written it, up to
   * {@link RdmaOptions#getZeroCopyBytes} of those that are not released; beyond that, and with a {@link #handler}, it is copied to the
   * heap.
   */
  @Fluent
  RdmaConnection zeroCopyHandler(@Nullable Handler<RdmaMessage> handler);

  /**
   * Hears each message where it lies, in place of {@link #handler} and {@link #zeroCopyHandler}; it is gone when the handler returns, and
   * copied nowhere before. That is in the peer's memory, for one that the peer's {@link #allocate} gave it room for, or a large one in one
   * piece, if the fabric maps it, as shared memory does, and the handler runs on this connection's own event loop; else in memory of this
   * node. On that event loop a message that fits one receive leaves nothing to the garbage collector, if messages before it had its size:
   * memory is used again.
   *
   * <p>In the peer's memory nothing keeps the peer from changing it meanwhile, be it as it gives the connection up: what has to hold is
   * checked on a copy.
   *
   * @param handler gets read-only memory; whoever reads it later finds other bytes, or an {@link IllegalStateException} once the connection
   *   is over
   */
  @Fluent
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RdmaConnection viewHandler(@Nullable Handler<MemorySegment> handler);

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

  /** Hears that the peer ended its side, after all messages; also one that is set after that. */
  @Override
  @Fluent
  RdmaConnection endHandler(@Nullable Handler<Void> handler);

  /** Hears why the connection broke, and the close handler follows; then, with a {@link #reconnectHandler}, why no other was made. */
  @Override
  @Fluent
  RdmaConnection exceptionHandler(@Nullable Handler<Throwable> handler);

  /** Hears that the connection is over, whichever way. */
  @Fluent
  RdmaConnection closeHandler(@Nullable Handler<Void> handler);

  /**
   * Hears, once, that this side is about to close: its server, its {@code Rdma}, its verticle or its Vert.x ends, or
   * {@link #shutdown(Duration)} was called. The close begins when the handler returns, so the peer gets what it writes; nothing waits for
   * what it leaves to be done later. It does not hear of {@link #close}, of a shutdown in no time, and of the peer's close.
   *
   * @param handler gets the time that is left for the close
   */
  @Fluent
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RdmaConnection shutdownHandler(@Nullable Handler<Duration> handler);

  /**
   * Makes another connection when this one is over and this side has neither ended nor closed it: by the same name or address and with the
   * same options, over whatever device, fabric and instance of the name can be had. It does so after the close handler, at once, or after
   * {@link RdmaConnectOptions#getReconnectInterval} if this connection lasted no longer; and tries again {@link
   * RdmaConnectOptions#getReconnectAttempts} times. Closing this connection, or null here, ends that.
   *
   * <p>Nothing moves from this connection to the other: what was under way here fails and is not sent again, messages, requests, grants and
   * handlers are this one's.
   *
   * @param handler hears the other connection, which has no handlers yet, this one neither; never of a connection that the peer made, or
   *   that was made out of band
   */
  @Fluent
  RdmaConnection reconnectHandler(@Nullable Handler<RdmaConnection> handler);

  /**
   * Sends a message of 0 … maxMessageSize bytes.
   *
   * @return completes when the message was handed to the fabric; that says nothing of the peer, see {@link #flush()}. Fails
   *   with {@link RdmaException}: {@code TOO_LARGE}, {@code CLOSED}, {@code CONNECTION_LOST}
   */
  @Override
  Future<Void> write(Buffer message);

  /**
   * Room for a message to {@link #write(RdmaMessage)}, whose body is empty and takes so many bytes. A large one is registered memory, up to
   * {@link RdmaOptions#getZeroCopyBytes} of them, and the fabric sends straight out of it. That belongs to the connection's device and
   * event loop; written to a connection of another one it is copied.
   *
   * @param size bytes, 0 … maxMessageSize; a body that is made longer, where Buffer allows that, moves to the heap
   * @return completes when there is memory, which may have to be registered; never waits for messages to be released
   */
  Future<RdmaMessage> allocate(int size);

  /**
   * Sends a message, one of {@link #allocate} or a received one, and takes it over, whatever comes of it: it is released when the peer has
   * it. One of a call is copied.
   *
   * @return as {@link #write(Buffer)}
   * @throws IllegalStateException if the message was released or written before
   */
  Future<Void> write(RdmaMessage message);

  /**
   * Waits until everything written before, on this connection and from this thread, is in the memory of the peer's process. It asks the
   * peer, which takes a round trip, and holds up no write.
   *
   * @return completes when all of it has arrived; the peer's handlers hear of it unless that process or the connection ends before. Waits
   *   while the peer reads slowly or not at all, without a time of its own. Fails with {@link RdmaException} when the connection ends
   *   first, {@code CONNECTION_LOST} or {@code CLOSED}: what was written may or may not have arrived. {@code CLOSED}, too, when something
   *   was written after either side had ended or closed it. A message that was {@code TOO_LARGE} is told by its own future alone
   */
  Future<Void> flush();

  /** Ends this side. @return completes when the peer has received everything that was written */
  @Override
  Future<Void> end();

  /** Bytes written and not handed to the fabric above which {@link #writeQueueFull} is true. */
  @Override
  @Fluent
  RdmaConnection setWriteQueueMaxSize(int bytes);

  @Override
  @Fluent
  RdmaConnection drainHandler(@Nullable Handler<Void> handler);

  /** Sends a request that waits 30 s for its reply, as one on the event bus does. @return as {@link #request(Buffer, Duration)} */
  default Future<Buffer> request(Buffer body) {
    return request(body, Duration.ofSeconds(30));
  }

  /**
   * Sends a request, for the peer's {@link #requestHandler}. Requests and replies go beside messages, in both directions: {@link #pause}
   * and {@link #fetch} do not hold them back by themselves, messages that nobody reads do. A side that has ended can neither ask nor
   * answer.
   *
   * @param body 0 … maxMessageSize bytes less 16, which is copied
   * @param timeout to wait for the reply, 1 ms and more
   * @return completes with the reply, whose buffer is the caller's. Fails with {@link RdmaException}: {@code REJECTED} with the words of
   *   the peer's handler, if that failed; {@code TIMEOUT} and {@code CONNECTION_LOST}, where it may have been executed or not, as after
   *   {@code CLOSED}; {@code LIMIT} if 1,024 wait here, or as many there, or of maxMessageSize bytes there, and, though it was executed, if
   *   its reply would wait there behind 64 MiB of others; {@code TOO_LARGE}; {@code UNSUPPORTED} if the peer's handler was taken away, or
   *   its version has none
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Buffer> request(Buffer body, Duration timeout);

  /**
   * Handles requests of the peer, on the connection's context. Those that come before the first handler wait for it; without one, later,
   * they are refused.
   *
   * @param handler gets the body, which belongs to it, and returns a future of the reply, or of the failure whose words the peer is told;
   *   null for none
   */
  @Fluent
  RdmaConnection requestHandler(@Nullable Function<Buffer, Future<Buffer>> handler);

  /**
   * Closes after everything written has reached the peer, however slowly it takes it.
   *
   * @return fails if the peer is lost before, or lives and takes nothing for {@link RdmaOptions#getCloseIdleTimeout}; the error says
   *   how much was not delivered
   */
  Future<Void> close();

  /** Closes within {@link RdmaOptions#getCloseTimeout}. @return as {@link #shutdown(Duration)} */
  Future<Void> shutdown();

  /**
   * Closes likewise, after the {@link #shutdownHandler}, and waits for the peer so long at most; {@link Duration#ZERO} drops at once what
   * it has not got. A later call may shorten that time, and does not lengthen it.
   *
   * @return fails if the peer did not get everything in that time
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> shutdown(Duration timeout);

  /** Grants memory of this side to the peer for as long as the connection lives, with the region's own access. */
  default Future<RegionGrant> grant(MemoryRegion region) {
    return grant(region, region.access(), null);
  }

  /**
   * Grants the use of memory of this side to the peer, on this connection only.
   *
   * @param region one that the {@link Rdma} of this connection shares, or an {@code Rdma} with equal options in the same Vert.x
   * @param access what the peer may do with it
   * @param lifetime after which it is taken back; null for as long as the connection lives
   * @return completes when the peer has it; fails with {@link RdmaException}, {@code UNSUPPORTED} for any other region,
   *   {@code ACCESS_DENIED} for more than reads of memory that is read-only
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<RegionGrant> grant(MemoryRegion region, Set<RegionAccess> access, @Nullable Duration lifetime);

  /** Hears of memory that the peer grants, which is refused with {@code LIMIT} while a handler is 1,024 behind. */
  @Fluent
  RdmaConnection grantHandler(@Nullable Handler<RemoteRegion> handler);

  /**
   * Whether the event loop of this connection polls and never sleeps, whatever the poll policy, as long as the connection is open: what
   * comes is seen a wake-up earlier, and a core is busy with it. Several connections of a loop may ask for it; the last one to give it up
   * ends it.
   */
  @Fluent
  RdmaConnection setBusyPoll(boolean on);

  /** Bytes of the largest message that both sides take: the smaller of their {@link RdmaOptions#getMaxMessageSize}. */
  int maxMessageSize();

  /** The fabric it uses, and why. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  FabricChoice fabric();

  /** The id of the peer's node. */
  String remoteNodeId();

  /** The name of the peer's node for people ({@link RdmaOptions#setName}); its id where the directory does not know it. */
  String remoteNodeName();

  /**
   * The peer's address on the fabric: host and port where it has those, else a domain-socket address with the device and a name; null
   * where the fabric tells none.
   */
  @Nullable
  SocketAddress remoteAddress();

  /** This side's address on the fabric, of the same kind. */
  @Nullable
  SocketAddress localAddress();

  /** Private data that the peer gave when it connected or accepted. */
  Buffer privateData();
}
