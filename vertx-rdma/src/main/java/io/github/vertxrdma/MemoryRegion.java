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
 * Memory of this process that other nodes (peers) read and write remotely, without this process's processor if the fabric supports that.
 * The memory is freed after {@link #close}, when the last operation has ended. If it is mapped from a file that was truncated, methods
 * throw an {@link IllegalStateException}.
 *
 * <p>Any thread may call methods. Futures complete on the caller's context. Handlers run on the context that created the region. Failures
 * are {@link RdmaException}s.
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
   * Returns the memory, valid until {@link #close}. Any thread may access it. Data of a peer is complete when the {@link
   * #notificationHandler} is called for it. It is also complete when a message arrives that the peer sent after its write. Earlier reads
   * may return a mixture, so do not poll the memory. Peers may see the owner's writes in another order: use {@link #putRecord} for data
   * that changes while peers read it.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  MemorySegment segment();

  /**
   * Copies bytes from the memory. A peer that writes meanwhile can leave a mixture of old and new bytes.
   *
   * @throws RdmaException OUT_OF_RANGE, CLOSED
   */
  Buffer read(long offset, int length);

  /**
   * Copies bytes into the memory. A peer that reads meanwhile can get a mixture of old and new bytes: use {@link #putRecord} for such data.
   * Do not write words that atomic operations use.
   *
   * @throws RdmaException OUT_OF_RANGE, CLOSED, ACCESS_DENIED if the memory is read-only
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
   * Sets the handler of notifications by peers. For a {@link RemoteRegion#writeNotify}, it is called when the data is in the memory. For a
   * {@link RemoteRegion#readNotify}, it is called when the peer has read the data and the owner may change it. Until the first handler is
   * set, 1,024 notifications wait; further ones are dropped with one warning. After the handler is removed, all are dropped. While 65,536
   * notifications wait for the handler, those of peers fail with LIMIT.
   *
   * <p>The peer's future may complete before the handler runs. To confirm that the handler has run, send a message to the peer.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  @Fluent
  MemoryRegion notificationHandler(@Nullable Handler<RegionNotification> handler);

  /**
   * Adds to an 8-byte word in native byte order, atomically with respect to atomic operations of this process and of peers.
   *
   * @param offset a multiple of 8
   * @return the old value. Fails with UNSUPPORTED if a network device executes the region's atomics, which are not atomic with those of the
   * processor. Then open the region by name like a peer, or create it with {@link RegionOptions#setOwnerAtomics}
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /**
   * Sets an 8-byte word atomically if it has the expected value. Fails like {@link #fetchAndAdd}.
   *
   * @return the old value
   */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /**
   * Sets an 8-byte word atomically if it has the expected value. Fails like {@link #fetchAndAdd}.
   *
   * @return true if it was set
   */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Writes data as a record. {@link RemoteRegion#readRecord} returns either the old or the new data, never a mixture. A record occupies 16
   * bytes in addition to its data.
   *
   * @param offset a multiple of 8
   * @throws RdmaException OUT_OF_RANGE, CLOSED, ACCESS_DENIED if the memory is read-only
   */
  @Fluent
  MemoryRegion putRecord(long offset, Buffer record);

  /**
   * Returns a copy of the record that {@link #putRecord} has written, or null if there is none.
   *
   * @param offset a multiple of 8
   * @throws RdmaException OUT_OF_RANGE, CLOSED, PROTOCOL if the bytes at the offset are not a record
   */
  @Nullable
  Buffer getRecord(long offset);

  /** Returns the peers that have opened the region, or to which it was granted. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  List<RegionHolder> holders();

  /**
   * Ends the access of all peers, and refuses later opens. Each peer that holds the region finishes its operations and confirms. The
   * connection of a peer that does not confirm in time is closed. The memory stays usable for this process until {@link #close}.
   *
   * @param timeout for confirmations of peers, at least 1 ms
   * @return fails with TIMEOUT if another process still maps the memory while a network device of this process uses it
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Ends the access of all peers within 10 s. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }

  /**
   * Ends the access of all peers within 10 s, then frees the memory. Idempotent.
   *
   * @return fails with TIMEOUT if a thread is still in a call with the {@link #segment} 10 s later. The close can then be repeated
   */
  Future<Void> close();
}
