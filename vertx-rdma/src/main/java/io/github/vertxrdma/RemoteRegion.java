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
 * Memory of a peer, used from here without the peer's processor where the fabric can.
 *
 * <p>All methods may be called from any thread. Futures complete on the context of the caller. Operations that are not awaited may take
 * effect in any order, except that notifications of one region arrive in the order of their calls. A buffer given to an operation must not
 * be touched before its future completes.
 *
 * <p>Failures are {@link RdmaException}s: {@code OUT_OF_RANGE} and {@code ACCESS_DENIED} before anything is sent, {@code REVOKED} after the
 * owner took the memory back, {@code TIMEOUT} and {@code CONNECTION_LOST} when it is unknown whether a write or an atomic took effect; none
 * is ever repeated.
 */
@VertxGen
public interface RemoteRegion {

  /** The name that it was opened by; empty if it was granted without one. */
  String name();

  /** Bytes. */
  long size();

  /** Rights on it. */
  Set<RegionAccess> access();

  /** The owner's node. */
  String nodeId();

  /** The device of this side that it is used over. */
  String fabric();

  /** The ways in which the operations that it is shared for are carried out on this fabric, and those it is not shared for; for people. */
  String strategies();

  /** Reads. @param length bytes, at most 2 GiB */
  Future<Buffer> read(long offset, int length);

  /** Reads into a buffer, which grows if need be. @param at where in the buffer @return completes with that buffer */
  Future<Buffer> read(long offset, Buffer into, int at, int length);

  /**
   * Reads into memory of this process, without a copy.
   *
   * @param local not closed before this completes; after a timeout its range still belongs to the fabric
   */
  Future<Void> read(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Reads a record that the owner {@link MemoryRegion#putRecord puts} at that offset. While the owner changes it, what is read can be
   * torn: it is then read again.
   *
   * @param maxLength bytes of data at most
   * @return the data; fails with {@code NOT_FOUND} if nothing was published, {@code TOO_LARGE} if the record is larger, {@code TIMEOUT} if
   *   it was torn until the time was up
   */
  Future<Buffer> readRecord(long offset, int maxLength);

  /**
   * Looks at the memory in place, where the fabric maps it, as shared memory does; fails with {@code UNSUPPORTED} elsewhere, and where the
   * owner keeps the memory to itself and answers reads.
   *
   * <p>The segment is the owner's memory, which may change at any time: words that change are read with acquire through a {@link
   * java.lang.invoke.VarHandle}, and what has to be whole is copied and checked, as {@link #readRecord} does. It can be written where the
   * region is open for {@code WRITE}; nobody is told of that. It ends when the owner takes the region back, dies, or this side closes it:
   * whoever accesses it then gets an {@link IllegalStateException}.
   *
   * @param length bytes, at least 1
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<MemorySegment> view(long offset, long length);

  /** Writes. @return completes when the data is in the owner's memory; the owner is not told */
  Future<Void> write(long offset, Buffer data);

  /** Writes from memory of this process, without a copy. @param local not closed before this completes */
  Future<Void> write(long offset, MemoryRegion local, long localOffset, long length);

  /**
   * Writes and tells the owner, whose {@link MemoryRegion#notificationHandler} runs with the data in its memory. The data of a short one
   * goes in the notification, and the owner's event loop puts it in place: see {@link RdmaOptions#getNotifyInlineLimit}.
   *
   * @param tag given to the owner
   * @return completes when the owner has been told; fails with {@code LIMIT} if its handler is 65,536 notifications behind
   */
  Future<Void> writeNotify(long offset, Buffer data, long tag);

  /**
   * Reads and tells the owner, whose {@link MemoryRegion#notificationHandler} runs, so that it may reuse the memory; see
   * {@link #writeNotify}.
   */
  Future<Buffer> readNotify(long offset, int length, long tag);

  /**
   * Adds to an 8-byte word in the owner's byte order. A word that is used so must never be written otherwise; a plain write to one that was
   * used so from here is refused with {@code ACCESS_DENIED}.
   *
   * @param offset a multiple of 8
   * @return the old value
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /** Sets an 8-byte word if it has the expected value. @param offset a multiple of 8 @return the old value */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /** Sets an 8-byte word if it has the expected value. @param offset a multiple of 8 @return whether it had it */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * The same region with another time that an operation may take, 30 s at first. Both close together. After a timeout the fabric may still
   * use the buffer, which {@link Future#timeout} does not tell of either.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  RemoteRegion withTimeout(Duration timeout);

  /** Hears that it cannot be used any more, though this side did not close it; at once if it has happened. */
  @Fluent
  RemoteRegion closeHandler(@Nullable Handler<RegionEnd> handler);

  /** Gives it back once the operations under way are over; no new ones. Idempotent. */
  Future<Void> close();
}
