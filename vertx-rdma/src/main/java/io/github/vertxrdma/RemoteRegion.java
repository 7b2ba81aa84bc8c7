package io.github.vertxrdma;

import io.vertx.codegen.annotations.Fluent;
import io.vertx.codegen.annotations.GenIgnore;
import io.vertx.codegen.annotations.Nullable;
import io.vertx.codegen.annotations.VertxGen;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Set;

/**
 * Memory region of a peer. Operations do not use the peer's processor if the fabric supports that.
 *
 * <p>Any thread may call methods. Futures complete on the caller's context. Concurrent operations may take effect in any order. Only
 * operations with notifications on one region keep the order of their calls. A buffer must not be used before the operation's future
 * completes.
 *
 * <p>Failures are {@link RdmaException}s: {@code OUT_OF_RANGE} and {@code ACCESS_DENIED}, before anything is sent; {@code REVOKED} if the
 * owner revoked the region; {@code TIMEOUT} and {@code CONNECTION_LOST}, after which a write or an atomic may have taken effect. Failed
 * operations are not repeated.
 */
@VertxGen
public interface RemoteRegion {

  /** Returns the name, or an empty string if it was granted without one. */
  String name();

  /** Returns the size in bytes. */
  long size();

  /** Returns the rights of this side. */
  Set<RegionAccess> access();

  String nodeId();

  /** Returns the device of this side that the region uses. */
  String fabric();

  /** Returns a text for people about how this fabric executes the permitted operations. */
  String strategies();

  /** Reads bytes into a new buffer, which the caller owns. */
  Future<Buffer> read(long offset, int length);

  /**
   * Reads into a buffer, which grows if necessary.
   *
   * @param at index in the buffer
   * @return completes with that buffer
   */
  Future<Buffer> read(long offset, Buffer into, int at, int length);

  /**
   * Reads into local memory without a copy.
   *
   * @param local must stay open until completion; after a timeout the fabric may still use its range
   */
  Future<Void> read(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Reads a record that the owner writes with {@link MemoryRegion#putRecord}. If the owner changed the record during the read (a torn
   * read), reads again.
   *
   * @param maxLength maximum bytes of data
   * @return the data, or null if the owner has put no record at the offset; fails with {@code TOO_LARGE}, or with {@code TIMEOUT} if all
   * reads were torn
   */
  Future<@Nullable Buffer> readRecord(long offset, int maxLength);

  /**
   * Maps the memory into this process, if the fabric is shared memory and the owner permits that. Otherwise fails with
   * {@code UNSUPPORTED}.
   *
   * <p>The memory may change at any time: read changing words with acquire through a {@link java.lang.invoke.VarHandle}, and copy and
   * check larger data. The segment is writable if the region is open for {@code WRITE}. Writes do not notify the owner. Access throws
   * {@link IllegalStateException} after the owner revokes the region or dies, or this side closes it.
   *
   * @param length at least 1 byte
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemorySegment> view(long offset, long length);

  /**
   * Writes without a notification.
   *
   * @return completes when the data is in the owner's memory
   */
  Future<Void> write(long offset, Buffer data);

  /**
   * Writes from local memory without a copy.
   *
   * @param local must stay open until completion
   */
  Future<Void> write(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Writes, then notifies the owner's {@link MemoryRegion#notificationHandler}. The owner's event loop writes data of up to
   * 1 KiB.
   *
   * @param tag number that the owner's handler receives
   * @return completes when the data is in the memory and the notification is queued for the owner's handler, which may run later; fails
   * with {@code LIMIT} while 65,536 notifications wait for that handler
   */
  Future<Void> writeNotify(long offset, Buffer data, long tag);

  /**
   * Reads, then notifies the owner's {@link MemoryRegion#notificationHandler}. The owner may then reuse the memory. Completes like {@link
   * #writeNotify}.
   */
  Future<Buffer> readNotify(long offset, int length, long tag);

  /**
   * Adds to an 8-byte word in the owner's byte order. Plain writes to the same word are not atomic; after an atomic operation by this
   * object they fail with {@code ACCESS_DENIED}.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /**
   * Sets an 8-byte word if it has the expected value.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /**
   * Sets an 8-byte word if it has the expected value.
   *
   * @param offset a multiple of 8
   * @return true if it was set
   */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Returns an object for the same region whose operations have another timeout. The default is {@link RegionOpenOptions#setTimeout}, or
   * 30 s for a granted region. Closing one of the objects closes both. After a timeout, including one by {@link Future#timeout}, the
   * fabric may still use the buffer.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RemoteRegion withTimeout(Duration timeout);

  /** Sets a handler that is called when access is lost other than by {@link #close}, or immediately if it is lost already. */
  @Fluent
  RemoteRegion closeHandler(@Nullable Handler<RegionEnd> handler);

  /**
   * Sets a handler for a new region that replaces this one when access is lost, also if the owner closed the region or ended. After the
   * close handler, opens the same name with the same options. If this region was open for less than {@link
   * RegionOpenOptions#getReconnectInterval}, waits for that time first. Retries {@link RegionOpenOptions#getReconnectAttempts} times.
   * Closing this region or setting null stops reconnecting.
   *
   * <p>Pending operations fail and are not repeated. If another node owns the new region, it contains only data of that owner.
   *
   * @param handler receives the new region, without handlers. Never called for granted regions
   */
  @Fluent
  RemoteRegion reconnectHandler(@Nullable Handler<RemoteRegion> handler);

  /** Sets a handler that is called with the cause when the region could not be opened again for the {@link #reconnectHandler}. */
  @Fluent
  RemoteRegion exceptionHandler(@Nullable Handler<Throwable> handler);

  /** Closes the region after operations in flight. Idempotent. */
  Future<Void> close();
}
