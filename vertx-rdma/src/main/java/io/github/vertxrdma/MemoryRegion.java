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
 * Memory of this process that peers use without its help. It lives until it is closed and the last operation on it is over.
 *
 * <p>All methods may be called from any thread. Futures complete on the context of the caller; handlers run on the context that shared the
 * region. Failures are {@link RdmaException}s.
 */
@VertxGen
public interface MemoryRegion {

  /** The name that it is opened by; empty if it has none. */
  String name();

  /** Bytes. */
  long size();

  /** Rights of peers. */
  Set<RegionAccess> access();

  /**
   * The owner's view; any thread, until {@link #close}. What a peer writes is there for sure once the owner was told: in a
   * {@link #notificationHandler}, or by a message that the peer sent after its write had completed. Before, parts of it may be old, new or
   * mixed, and in any order: do not poll the bytes of a payload. A single word that peers change is read with {@link #getAcquire}. What the
   * owner writes is seen by reads of peers in no order either: use {@link #putRecord} for data that changes while it is read.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  MemorySegment segment();

  /** The 8-byte word at an offset, a multiple of 8, as peers last changed it; what was written before it is seen afterwards. */
  long getAcquire(long offset);

  /**
   * Hears of every {@link RemoteRegion#writeNotify}, when the data is in the memory, and every {@link RemoteRegion#readNotify}, after which
   * what was read may be changed. The first 1,024 wait for a handler to be set; those that come after them before there is one are dropped,
   * with one warning in the log, and so are those that come after a handler was taken away. Peers are refused with {@code LIMIT} while a
   * handler is 65,536 behind.
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  @Fluent
  MemoryRegion notificationHandler(@Nullable Handler<RegionNotification> handler);

  /**
   * Adds to an 8-byte word, in native byte order and atomic towards what peers do with {@link RemoteRegion#fetchAndAdd} and
   * {@link RemoteRegion#compareAndSet}.
   *
   * @param offset a multiple of 8
   * @return the old value; fails with {@code UNSUPPORTED} if a device executes the region's atomics, since a device does not exclude the
   *   processor: open the region by name like a peer, or share it with {@link RegionOptions#setOwnerAtomics}
   */
  Future<Long> fetchAndAdd(long offset, long add);

  /** Sets an 8-byte word if it has the expected value; like {@link #fetchAndAdd} otherwise. @return the old value */
  Future<Long> compareAndExchange(long offset, long expected, long value);

  /** Sets an 8-byte word if it has the expected value; like {@link #fetchAndAdd} otherwise. @return whether it had it */
  default Future<Boolean> compareAndSet(long offset, long expected, long value) {
    return compareAndExchange(offset, expected, value).map(old -> old == expected);
  }

  /**
   * Writes a record that peers read with {@link RemoteRegion#readRecord} whole, in its old or its new state. It takes 16 bytes
   * more than its data: version 8 bytes, length 4, CRC32C 4, data.
   *
   * @param offset a multiple of 8
   * @throws RdmaException {@code OUT_OF_RANGE}, {@code CLOSED}, {@code ACCESS_DENIED} if its memory is read-only
   */
  @Fluent
  MemoryRegion putRecord(long offset, Buffer record);

  /** The peers that hold its key. */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  List<RegionHolder> holders();

  /**
   * Takes it back from all peers: no new opens; those who hold it are told, drain what they have under way and confirm; whoever does not in
   * time has its connection closed. Then nothing but this process touches the memory, which stays usable until {@link #close}.
   *
   * @param timeout how long to wait for the peers, more than 0
   * @return fails with {@code TIMEOUT} if a process that did not give it back still has it mapped, and it cannot be moved away from that: a
   *   device of this process has its pages pinned
   */
  @GenIgnore(GenIgnore.PERMITTED_TYPE)
  Future<Void> revoke(Duration timeout);

  /** Takes it back from all peers, with 10 s for them. */
  default Future<Void> revoke() {
    return revoke(Duration.ofSeconds(10));
  }

  /**
   * Revokes it with 10 s for the peers, then frees the memory. Idempotent.
   *
   * @return fails with {@code TIMEOUT} if a thread is in the middle of a call with the {@link #segment} for 10 s more; close it again then
   */
  Future<Void> close();
}
