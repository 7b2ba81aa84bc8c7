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
 * Memory of this process that peers read and write remotely, without this process's processor if the fabric supports that. The memory is
 * freed after {@link #close}, when the last operation has ended.
 *
 * <p>This process accesses the memory by {@link #read}, {@link #write} and {@link #putRecord}. Programs that compute in the memory itself
 * use {@link #segment}.
 *
 * <p>Any thread may call methods. Futures complete on the caller's context. Handlers run on the context that created the region. Failures
 * are {@link RdmaException}s. If the memory is mapped from a file that was truncated, methods that access it throw an {@link
 * IllegalStateException}.
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
   * Returns the memory, valid until {@link #close}. Any thread may access it. Data that a peer writes is complete when the
   * {@link #notificationHandler} is called for it, or when a message arrives that the peer sent after its write completed. Until then it
   * may contain old and new bytes, so do not poll it. Peers may see the owner's writes in another order: use {@link #putRecord} for data
   * that changes while peers read it.
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
   * Copies bytes into the memory. A peer that reads meanwhile can get a mixture of old and new bytes: use {@link #putRecord} for data
   * that changes while it is read. Do not write words that atomic operations use.
   *
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code ACCESS_DENIED} if the memory is read-only
   */
  @Fluent
  MemoryRegion write(long offset, Buffer data);

  /**
   * Reads an 8-byte word with acquire semantics, as {@link java.lang.invoke.VarHandle#getAcquire}.
   *
   * @param offset a multiple of 8
   */
  long getAcquire(long offset);

  /**
   * Sets a handler that is called for each {@link RemoteRegion#writeNotify} when the data is in the memory, and for each
   * {@link RemoteRegion#readNotify} when the peer has read the data and the owner may change it. Before the first handler is set, at most
   * 1,024 notifications wait. Further notifications, and those after the handler's removal, are dropped with one warning. While 65,536
   * notifications wait for the handler, notifications of peers fail with {@code LIMIT}.
   *
   * <p>The peer's future completes when the notification is queued for the handler, which may run later. To confirm that the handler has
   * run, send a message to the peer.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  @Fluent
  MemoryRegion notificationHandler(@Nullable Handler<RegionNotification> handler);

  /**
   * Adds to an 8-byte word in native byte order. Atomic with respect to atomic operations of this process and of peers.
   *
   * @param offset a multiple of 8
   * @return the old value. Fails with {@code UNSUPPORTED} if a device executes the region's atomics, since these are not atomic with
   * operations of the processor. Then open the region by name, or create it with {@link RegionOptions#setOwnerAtomics}
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
   * Writes data as a record. {@link RemoteRegion#readRecord} returns either the old or the new data, never a mixture. A record occupies
   * 16 bytes in addition to its data.
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
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code PROTOCOL} if the bytes at the offset are not a record
   */
  @Nullable
  Buffer getRecord(long offset);

  /** Returns the peers that have opened the region or were granted it. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  List<RegionHolder> holders();

  /**
   * Revokes the region from all peers. Later opens are refused. Each peer that holds the region finishes its operations and confirms; the
   * connection of a peer that does not confirm in time is closed. Afterwards only this process accesses the memory, which stays usable
   * until {@link #close}.
   *
   * @param timeout for confirmations of peers, more than 0
   * @return fails with {@code TIMEOUT} if another process still has the memory mapped while a device of this process pins it
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
   * @return fails with {@code TIMEOUT} if a thread is still in a call with the {@link #segment} after 10 s more. The close can then be
   * repeated
   */
  Future<Void> close();
}
