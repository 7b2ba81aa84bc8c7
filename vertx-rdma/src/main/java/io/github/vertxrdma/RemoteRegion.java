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
 * Memory region of a peer, used without the peer's processor if the fabric can.
 *
 * <p>Methods may be called from any thread. Futures complete on the caller's context. Operations that are not awaited may take effect in
 * any order; only notifications of one region keep the order of their calls. A buffer must not be used before the operation's future
 * completes.
 *
 * <p>Failures are {@link RdmaException}s: {@code OUT_OF_RANGE} and {@code ACCESS_DENIED} before anything is sent, {@code REVOKED} after a
 * revocation by the owner, {@code TIMEOUT} and {@code CONNECTION_LOST} if it is unknown whether a write or an atomic took effect. Nothing
 * is repeated.
 */
@VertxGen
public interface RemoteRegion {

  /** Returns the name; empty if it was granted without one. */
  String name();

  /** Returns the size in bytes. */
  long size();

  /** Returns the rights of this side. */
  Set<RegionAccess> access();

  /** Returns the owner's node id. */
  String nodeId();

  /** Returns this side's device in use. */
  String fabric();

  /** Describes, for people, how this fabric executes the permitted operations. */
  String strategies();

  /** Reads. @param length at most 2 GiB */
  Future<Buffer> read(long offset, int length);

  /** Reads into a buffer, which grows if necessary. @param at index in the buffer @return completes with that buffer */
  Future<Buffer> read(long offset, Buffer into, int at, int length);

  /**
   * Reads into local memory without a copy.
   *
   * @param local must stay open until completion; after a timeout its range still belongs to the fabric
   */
  Future<Void> read(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Reads a record that the owner writes with {@link MemoryRegion#putRecord}. Repeats a read that was torn by a change.
   *
   * @param maxLength maximum bytes of data
   * @return the data; fails with {@code NOT_FOUND} if nothing was published, {@code TOO_LARGE} if the record is larger, {@code TIMEOUT} if
   * all reads were torn
   */
  Future<Buffer> readRecord(long offset, int maxLength);

  /**
   * Returns a view of the memory, if the fabric maps it, as shared memory does. Fails with {@code UNSUPPORTED} otherwise, or if the owner
   * does not allow mapping.
   *
   * <p>The memory may change at any time: read changing words with acquire through a {@link java.lang.invoke.VarHandle}; copy and check
   * larger data, as {@link #readRecord} does. The view is writable if the region is open for {@code WRITE}; writes do not notify. After the
   * owner revokes the region or dies, or this side closes it, access throws {@link IllegalStateException}.
   *
   * @param length at least 1 byte
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemorySegment> view(long offset, long length);

  /** Writes. @return completes when the data is in the owner's memory, without a notification */
  Future<Void> write(long offset, Buffer data);

  /** Writes from local memory without a copy. @param local must stay open until completion */
  Future<Void> write(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Writes, then notifies the owner's {@link MemoryRegion#notificationHandler}. Short data travels in the notification, and the owner's
   * event loop writes it, see {@link RdmaOptions#getNotifyInlineLimit}.
   *
   * @param tag for the owner
   * @return completes when the owner is notified; fails with {@code LIMIT} while 65,536 notifications wait for its handler
   */
  Future<Void> writeNotify(long offset, Buffer data, long tag);

  /** Reads, then notifies the owner's {@link MemoryRegion#notificationHandler}, which may reuse the memory, see {@link #writeNotify}. */
  Future<Buffer> readNotify(long offset, int length, long tag);

  /**
   * Adds to an 8-byte word in the owner's byte order. The word must never be written otherwise; plain writes to it from here are refused
   * with {@code ACCESS_DENIED}.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /** Sets an 8-byte word if it has the expected value. @param offset a multiple of 8 @return the old value */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /** Sets an 8-byte word if it has the expected value. @param offset a multiple of 8 @return true if it was set */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Returns this region with another timeout of operations; the default is 30 s. Both close together. After a timeout, including one by
   * {@link Future#timeout}, the fabric may still use the buffer.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RemoteRegion withTimeout(Duration timeout);

  /** Sets a handler that is called when access is lost other than by {@link #close}; called immediately if it is lost. */
  @Fluent
  RemoteRegion closeHandler(@Nullable Handler<RegionEnd> handler);

  /** Closes the region after operations in flight. Idempotent. */
  Future<Void> close();
}
