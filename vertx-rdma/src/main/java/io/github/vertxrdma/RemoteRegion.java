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
 * Memory of another node, the owner, that this node reads and writes remotely. If the fabric supports that, operations do not use the
 * owner's processor.
 *
 * <p>Any thread may call methods. Futures complete on the caller's context. Concurrent operations may take effect in any order. Only
 * operations with notifications on one region keep the order of their calls. A buffer must not be used before the operation's future
 * completes.
 *
 * <p>Failures are {@link RdmaException}s: OUT_OF_RANGE and ACCESS_DENIED before anything is sent; REVOKED if the owner revoked the region;
 * LIMIT while 65,536 operations wait. After TIMEOUT and CONNECTION_LOST, a write or an atomic operation may have taken effect. Failed
 * operations are not repeated.
 */
@VertxGen
public interface RemoteRegion {

  /** Returns the name; empty if the region was granted without one. */
  String name();

  long size();

  /** Returns the rights of this side. */
  Set<RegionAccess> access();

  String nodeId();

  /** Returns the name of this side's device that the region uses. */
  String fabric();

  /** Returns a text for people about how this fabric executes the permitted operations. */
  String strategies();

  /** Reads bytes of the remote memory into a new buffer, which the caller owns. */
  Future<Buffer> read(long offset, int length);

  /**
   * Reads bytes of the remote memory into a buffer, which grows if necessary.
   *
   * @param at index in the buffer
   * @return completes with that buffer
   */
  Future<Buffer> read(long offset, Buffer into, int at, int length);

  /**
   * Reads remote memory directly into a region of this process.
   *
   * @param local must stay open until completion; after a timeout, the network device may still write to its range
   */
  Future<Void> read(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Reads a record that the owner writes with {@link MemoryRegion#putRecord}. Reads again if the owner changed the record meanwhile (a torn
   * read).
   *
   * @param maxLength maximum bytes of data
   * @return the data, or null if there is no record at the offset; fails with TOO_LARGE, or with TIMEOUT if all reads were torn
   */
  Future<@Nullable Buffer> readRecord(long offset, int maxLength);

  /**
   * Maps the remote memory into this process, if both processes share memory ({@code shm}) and the owner permits that. Otherwise fails with
   * UNSUPPORTED.
   *
   * <p>The memory may change at any time: read changing words with acquire through a {@link java.lang.invoke.VarHandle}, and copy larger
   * data before you check it. The segment is writable if the region is open for {@code WRITE}. Writes do not notify the owner. Access
   * throws {@link IllegalStateException} after the owner revokes the region or dies, or this side closes it.
   *
   * @param length at least 1 byte
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemorySegment> view(long offset, long length);

  /**
   * Writes to the remote memory without notifying the owner.
   *
   * @return completes when the data is in the owner's memory
   */
  Future<Void> write(long offset, Buffer data);

  /**
   * Writes to the remote memory directly from a region of this process.
   *
   * @param local must stay open until completion
   */
  Future<Void> write(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Writes to the remote memory, then notifies the owner's {@link MemoryRegion#notificationHandler}. The owner's event loop copies data of
   * up to 1 KiB; the network device writes larger data.
   *
   * @param tag number that the owner's handler receives
   * @return completes when the data is in the memory and the notification waits for the owner's handler, which may run later; fails with
   * LIMIT while 65,536 notifications wait
   */
  Future<Void> writeNotify(long offset, Buffer data, long tag);

  /**
   * Reads remote memory, then notifies the owner's {@link MemoryRegion#notificationHandler}. The owner may then reuse the memory. Completes
   * like {@link #writeNotify}.
   */
  Future<Buffer> readNotify(long offset, int length, long tag);

  /**
   * Adds to an 8-byte word of the remote memory, in the owner's byte order. Plain writes to the word are not atomic; after an atomic
   * operation by this object they fail with ACCESS_DENIED.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /**
   * Sets an 8-byte word of the remote memory atomically if it has the expected value.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /**
   * Sets an 8-byte word of the remote memory atomically if it has the expected value.
   *
   * @param offset a multiple of 8
   * @return true if it was set
   */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Returns an object for the same region whose operations have another timeout. The default is {@link RegionOpenOptions#setTimeout}, or 30
   * s for a granted region. Closing either object closes both. After a timeout, including one by {@link Future#timeout}, the buffer may
   * still be in use.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RemoteRegion withTimeout(Duration timeout);

  /** Sets a handler that is called when access to the region is lost other than by {@link #close}, or immediately if it is lost already. */
  @Fluent
  RemoteRegion closeHandler(@Nullable Handler<RegionEnd> handler);

  /**
   * Sets a handler that receives a new region of the same name after access to this one was lost. The client opens it after the close
   * handler, with the same options. If this region was open for less than {@link RegionOpenOptions#getReconnectInterval}, the client first
   * waits for that time. Setting null, or closing this region, stops reconnecting.
   *
   * <p>The new region has no handlers, and only data of its present owner. Pending operations fail and are not repeated.
   *
   * @param handler never called for granted regions
   */
  @Fluent
  RemoteRegion reconnectHandler(@Nullable Handler<RemoteRegion> handler);

  /** Sets a handler that is called with the cause when the region could not be opened again for the {@link #reconnectHandler}. */
  @Fluent
  RemoteRegion exceptionHandler(@Nullable Handler<Throwable> handler);

  /** Closes the region when pending operations have ended. Idempotent. */
  Future<Void> close();
}
