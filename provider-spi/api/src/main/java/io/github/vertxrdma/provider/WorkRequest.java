package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * Operation to post; struct ibv_send_wr of ibv_post_send(3), struct fi_msg of fi_msg(3), fi_msg_rma of fi_rma(3), fi_msg_atomic of
 * fi_atomic(3). Mutable and reusable: its owner fills it, posts it, and fills it again.
 *
 * <p>{@link #send}, {@link #write}, {@link #read}, {@link #fetchAdd} and {@link #compareSwap} set all fields: those that they do not name
 * become 0 or null, including id and flags. The other setters change one field. All return this object: {@code
 * endpoint.post(request.send(region, 0, 64).id(7).flags(PostFlags.SIGNALED))}.
 *
 * <p>A post keeps no reference to the request or its list after it returned. It may change the request meanwhile and restores it, so a
 * request that was refused with {@link Status#AGAIN} is posted again unchanged. Confined to the thread of the endpoint that it is posted
 * on.
 */
public final class WorkRequest {
  private long id;
  private Operation operation = Operation.SEND;
  private int flags;
  private MemoryRegion region;
  private MemorySegment memory;
  private long offset;
  private long length;
  private ScatterGather list;
  private RemoteMemory remote;
  private long remoteOffset;
  private long immediate;
  private long operand;
  private long swap;

  // Describing an operation

  /**
   * Describes a send of [offset, offset + length). The provider fills the first {@link Capabilities#messagePrefix()} bytes; if there are
   * any, a range can be in one outstanding send only.
   */
  public WorkRequest send(MemoryRegion region, long offset, long length) {
    return describe(Operation.SEND, region, offset, length, null, null, 0, 0, 0);
  }

  /** Describes a send of the ranges of a list. The prefix is at the start of the first element. */
  public WorkRequest send(ScatterGather list) {
    return describe(Operation.SEND, null, 0, 0, list, null, 0, 0, 0);
  }

  /** Describes a write. Its completion alone does not prove delivery unless {@link PostFlags#DELIVERY_COMPLETE} is given. */
  public WorkRequest write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  /** Describes a write of the ranges of a list to one place. */
  public WorkRequest write(ScatterGather list, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, null, 0, 0, list, remote, remoteOffset, 0, 0);
  }

  /** Describes a read into a region with {@link Access#READ_SINK}, or {@link Access#LOCAL_WRITE} if the device needs no more. */
  public WorkRequest read(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.READ, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  /** Describes an addition to the peer's 8-byte word, in native byte order; the old value is written to the offset. */
  public WorkRequest fetchAdd(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add) {
    return describe(Operation.FETCH_ADD, result, offset, Long.BYTES, null, remote, remoteOffset, add, 0);
  }

  /** Describes setting the peer's 8-byte word if it has the expected value; the old value is written to the offset. */
  public WorkRequest compareSwap(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected, long swap) {
    return describe(Operation.COMPARE_SWAP, result, offset, Long.BYTES, null, remote, remoteOffset, expected, swap);
  }

  /** Resets the request and its references to memory: it is then an empty send. */
  public WorkRequest clear() {
    return send(null, 0, 0);
  }

  /** Copies another request; the list is shared. */
  public WorkRequest set(WorkRequest other) {
    describe(other.operation, other.region, other.offset, other.length, other.list, other.remote, other.remoteOffset, other.operand,
      other.swap);
    memory = other.memory;
    id = other.id;
    flags = other.flags;
    immediate = other.immediate;
    return this;
  }

  /** References are written only if they change: the write barriers of garbage collectors cost more than all the rest. */
  private WorkRequest describe(Operation operation, MemoryRegion region, long offset, long length, ScatterGather list, RemoteMemory remote,
    long remoteOffset, long operand, long swap) {
    if (this.operation != operation) {
      this.operation = operation;
    }
    if (this.region != region) {
      this.region = region;
    }
    this.offset = offset;
    this.length = length;
    if (memory != null) {
      memory = null;
    }
    if (this.list != list) {
      this.list = list;
    }
    if (this.remote != remote) {
      this.remote = remote;
    }
    this.remoteOffset = remoteOffset;
    this.operand = operand;
    this.swap = swap;
    id = 0;
    flags = 0;
    immediate = 0;
    return this;
  }

  // Changing it

  /**
   * Sets the request id.
   *
   * @param id id in the completion
   */
  public WorkRequest id(long id) {
    this.id = id;
    return this;
  }

  /**
   * Sets the flags.
   *
   * @param flags of {@link PostFlags}
   */
  public WorkRequest flags(int flags) {
    this.flags = flags;
    return this;
  }

  /**
   * Adds an immediate, of {@link Capabilities#immediateBits()} bits, to a send or a write.
   *
   * @throws IllegalStateException if it is a read or an atomic
   */
  public WorkRequest immediate(long immediate) {
    operation = switch (operation) {
      case SEND, SEND_IMMEDIATE -> Operation.SEND_IMMEDIATE;
      case WRITE, WRITE_IMMEDIATE -> Operation.WRITE_IMMEDIATE;
      default -> throw new IllegalStateException("a " + operation + " carries no immediate");
    };
    this.immediate = immediate;
    return this;
  }

  /** Changes the local range, which replaces a list. */
  public WorkRequest local(MemoryRegion region, long offset, long length) {
    this.region = region;
    this.offset = offset;
    this.length = length;
    memory = null;
    list = null;
    return this;
  }

  /**
   * Makes a read copy to memory that is not registered, such as the heap's, from memory of a peer that is mapped
   * ({@link Capabilities#maps()}). Replaces the local region. A post that cannot copy at once returns {@link Status#AGAIN} and needs a
   * region.
   */
  public WorkRequest into(MemorySegment memory, long offset) {
    if (operation != Operation.READ) {
      throw new IllegalStateException("a " + operation + " needs registered memory");
    }
    local(null, offset, length);
    this.memory = memory;
    return this;
  }

  /**
   * Changes the list of a send or a write, which replaces a local range.
   *
   * @throws IllegalStateException if it is a read or an atomic
   */
  public WorkRequest local(ScatterGather list) {
    if (operation.isRead()) {
      throw new IllegalStateException("a " + operation + " has no list");
    }
    local(null, 0, 0);
    this.list = list;
    return this;
  }

  /** Changes the length of the local range in bytes. */
  public WorkRequest length(long length) {
    this.length = length;
    return this;
  }

  /** Changes the peer's memory and the offset in it. */
  public WorkRequest remote(RemoteMemory remote, long remoteOffset) {
    this.remote = remote;
    this.remoteOffset = remoteOffset;
    return this;
  }

  // Reading it

  public long id() {
    return id;
  }

  public Operation operation() {
    return operation;
  }

  public int flags() {
    return flags;
  }

  /** Returns the region of the local range; for reads and atomics the destination. Null with a list. */
  public MemoryRegion region() {
    return region;
  }

  /** Returns the memory that a read copies to, {@link #into}; null for a read into a region. */
  public MemorySegment memory() {
    return memory;
  }

  /** Returns the offset of the local range in the region or the memory. */
  public long offset() {
    return offset;
  }

  /** Returns the number of transferred bytes: of the local range, or of all elements of the list. */
  public long length() {
    return list == null ? length : list.total();
  }

  /** Returns the list of a send or a write in place of a range of one region; null without a list. */
  public ScatterGather list() {
    return list;
  }

  /** Returns the number of local ranges: one, or those of the list. */
  public int pieces() {
    return list == null ? 1 : list.size();
  }

  /** Returns the region of a local range. */
  public MemoryRegion pieceRegion(int i) {
    return list == null ? region : list.region(i);
  }

  /** Returns the offset in that region. */
  public long pieceOffset(int i) {
    return list == null ? offset : list.offset(i);
  }

  /** Returns the length of a local range in bytes. */
  public long pieceLength(int i) {
    return list == null ? length : list.length(i);
  }

  /** Returns the peer's memory; null for sends. */
  public RemoteMemory remote() {
    return remote;
  }

  public long remoteOffset() {
    return remoteOffset;
  }

  public long immediate() {
    return immediate;
  }

  /** Returns the operand that a fetch-add adds, or a compare-swap expects. */
  public long operand() {
    return operand;
  }

  /** Returns the value that a compare-swap sets. */
  public long swap() {
    return swap;
  }

  @Override
  public String toString() {
    return operation + " " + id + " of " + length() + " bytes";
  }
}
