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
import java.util.List;
import java.util.Set;

/**
 * Memory of this process that peers access without its help. It lives until it is closed and the last operation on it has ended.
 *
 * <p>Methods may be called from any thread. Futures complete on the caller's context; handlers run on the context that created the region.
 * Failures are {@link RdmaException}s.
 */
@VertxGen
public interface MemoryRegion {

  /** Returns the name; empty if it has none. */
  String name();

  /** Returns the size in bytes. */
  long size();

  /** Returns the rights of peers. */
  Set<RegionAccess> access();

  /**
   * Returns the owner's view; any thread, until {@link #close}. Data of a peer is complete once the owner was notified: by a {@link
   * #notificationHandler}, or by a message sent after the write completed. Before that it may be old, new or mixed: do not poll a payload.
   * Read a single word with {@link #getAcquire}. Peers see the owner's writes in no order either: use {@link #putRecord} for data that
   * changes while it is read.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  MemorySegment segment();

  /** Returns the 8-byte word at an offset, a multiple of 8, with acquire semantics. */
  long getAcquire(long offset);

  /**
   * Sets a handler that is called for each {@link RemoteRegion#writeNotify}, when the data is in the memory, and for each {@link
   * RemoteRegion#readNotify}, after which the memory may change. Before the first handler 1,024 notifications wait; further ones, and those
   * after its removal, are dropped with one warning. Peers are refused with {@code LIMIT} while 65,536 wait for the handler.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  @Fluent
  MemoryRegion notificationHandler(@Nullable Handler<RegionNotification> handler);

  /**
   * Adds to an 8-byte word in native byte order, atomically with {@link RemoteRegion#fetchAndAdd} and {@link RemoteRegion#compareAndSet} of
   * peers.
   *
   * @param offset a multiple of 8
   * @return the old value; fails with {@code UNSUPPORTED} if a device executes the region's atomics, as it does not exclude the processor:
   * open the region by name, or create it with {@link RegionOptions#setOwnerAtomics}
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /** Sets an 8-byte word if it has the expected value, as {@link #fetchAndAdd} adds. @return the old value */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /** Sets an 8-byte word if it has the expected value, as {@link #fetchAndAdd} adds. @return true if it was set */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Writes a record that {@link RemoteRegion#readRecord} reads in its old or new state. Needs 16 bytes besides its data: version 8, length
   * 4, CRC32C 4.
   *
   * @param offset a multiple of 8
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code ACCESS_DENIED} if its memory is read-only
   */
  @Fluent
  MemoryRegion putRecord(long offset, Buffer record);

  /** Returns the peers that hold its key. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  List<RegionHolder> holders();

  /**
   * Revokes the region from all peers. Opens are refused; holders finish their operations and confirm. The connection of a holder that does
   * not confirm in time is closed. Afterwards only this process accesses the memory, which stays usable until {@link #close}.
   *
   * @param timeout for the peers, more than 0
   * @return fails with {@code TIMEOUT} if a process still has the memory mapped, and it cannot be moved as a device of this process pins it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Revokes the region from all peers within 10 s. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }

  /**
   * Revokes the region within 10 s, then frees the memory. Idempotent.
   *
   * @return fails with {@code TIMEOUT} if a thread stays in a call with the {@link #segment} for 10 s more; close it again then
   */
  Future<Void> close();
}
