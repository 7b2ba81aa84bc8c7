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
 * Memory of this process that peers access without its processor. It exists until it is closed and its last operation has ended.
 *
 * <p>This side reads and writes it by {@link #read}, {@link #write} and records. {@link #segment} is for programs that compute in the
 * memory itself.
 *
 * <p>Any thread may call methods. Futures complete on the caller's context. Handlers run on the context that created the region. Failures
 * are {@link RdmaException}s. If the memory is mapped from a file that was truncated, methods that access it throw an
 * {@link IllegalStateException}.
 */
@VertxGen
public interface MemoryRegion {

  /** Returns the name, or an empty string. */
  String name();

  /** Returns the size in bytes. */
  long size();

  /** Returns the rights of peers. */
  Set<RegionAccess> access();

  /**
   * Returns the memory, valid until {@link #close}. Any thread may access it. Data of a peer is complete after a notification: by a {@link
   * #notificationHandler}, or by a message sent after the write completed. Do not poll a payload, which may be mixed before that. Peers do
   * not see the owner's writes in order: use {@link #putRecord} for data that changes while it is read.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  MemorySegment segment();

  /**
   * Copies bytes from the memory. A peer that writes meanwhile can leave a mixture of old and new bytes.
   *
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}
   */
  Buffer read(long offset, int length);

  /**
   * Copies bytes into the memory. A peer that reads meanwhile can get a mixture of old and new bytes: use {@link #putRecord} for data that
   * changes while it is read. Do not write words that are used with atomics.
   *
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code ACCESS_DENIED} if the memory is read-only
   */
  @Fluent
  MemoryRegion write(long offset, Buffer data);

  /**
   * Returns an 8-byte word with acquire semantics.
   *
   * @param offset a multiple of 8
   */
  long getAcquire(long offset);

  /**
   * Sets a handler that is called for each {@link RemoteRegion#writeNotify} when the data is in the memory, and for each {@link
   * RemoteRegion#readNotify}, after which the memory may change. At most 1,024 notifications wait for the first handler. Later ones, and
   * those after its removal, are dropped with one warning. Peers are refused with {@code LIMIT} while 65,536 wait for the handler.
   *
   * <p>The peer's future completes when the notification is queued for the handler, which may run later. A peer that has to know that the
   * handler has run needs an answer, such as a message or a write by this side.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  @Fluent
  MemoryRegion notificationHandler(@Nullable Handler<RegionNotification> handler);

  /**
   * Adds to an 8-byte word in native byte order, atomically also with operations of peers.
   *
   * @param offset a multiple of 8
   * @return the old value; fails with {@code UNSUPPORTED} if a device executes the region's atomics, which are not atomic with the
   * processor's: open the region by name, or create it with {@link RegionOptions#setOwnerAtomics}
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /**
   * Sets an 8-byte word if it has the expected value, like {@link #fetchAndAdd}.
   *
   * @return the old value
   */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /**
   * Sets an 8-byte word if it has the expected value, like {@link #fetchAndAdd}.
   *
   * @return true if it was set
   */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Writes a record that {@link RemoteRegion#readRecord} reads either in its old or in its new state. It occupies 16 bytes besides its
   * data.
   *
   * @param offset a multiple of 8
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code ACCESS_DENIED} if the memory is read-only
   */
  @Fluent
  MemoryRegion putRecord(long offset, Buffer record);

  /**
   * Returns a copy of the record that {@link #putRecord} has written, or null if there is none.
   *
   * @param offset a multiple of 8
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code PROTOCOL} if the bytes there are no record
   */
  @Nullable
  Buffer getRecord(long offset);

  /** Returns the peers that hold its key. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  List<RegionHolder> holders();

  /**
   * Revokes the region from all peers. Opens are refused. Holders finish their operations and confirm, or their connections are closed.
   * Afterwards only this process accesses the memory, which stays usable until {@link #close}.
   *
   * @param timeout for the peers, more than 0
   * @return fails with {@code TIMEOUT} if a process still has the memory mapped, and a device of this process pins it
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
   * @return fails with {@code TIMEOUT} if a thread stays in a call with the {@link #segment} for 10 s more, after which it can be repeated
   */
  Future<Void> close();
}
