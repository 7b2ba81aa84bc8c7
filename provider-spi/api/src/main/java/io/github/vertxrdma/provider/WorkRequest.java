package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * An operation to post; struct ibv_send_wr of ibv_post_send(3), struct fi_msg of fi_msg(3), fi_msg_rma of fi_rma(3), fi_msg_atomic of
 * fi_atomic(3). Mutable and made to be reused: its owner fills it, posts it, and fills it again.
 *
 * <p>{@link #send}, {@link #write}, {@link #read}, {@link #fetchAdd} and {@link #compareSwap} describe an operation anew: what they do not
 * name is 0 or null afterwards, id and flags among it. The other setters change one thing of what is described. All return this:
 * {@code endpoint.post(request.send(region, 0, 64).id(7).flags(PostFlags.SIGNALED))}.
 *
 * <p>The callee of a post keeps nothing of the request, nor of its list, after it returned. It may change the request meanwhile and leaves
 * it as it was, so one that was refused with {@link Status#AGAIN} is posted again as it is. Confined to the thread of the endpoint that it
 * is posted on.
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
   * Describes a send of [offset, offset + length). The first {@link Capabilities#messagePrefix()} bytes are the provider's to fill; where
   * there are any, a range can be in one outstanding send only.
   */
  public WorkRequest send(MemoryRegion region, long offset, long length) {
    return describe(Operation.SEND, region, offset, length, null, null, 0, 0, 0);
  }

  /** Describes a send of what a list gathers. The prefix is at the start of the first element. */
  public WorkRequest send(ScatterGather list) {
    return describe(Operation.SEND, null, 0, 0, list, null, 0, 0, 0);
  }

  /** Describes a write. Its completion alone does not prove delivery unless {@link PostFlags#DELIVERY_COMPLETE} is given. */
  public WorkRequest write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  /** Describes a write of what a list gathers to one place. */
  public WorkRequest write(ScatterGather list, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, null, 0, 0, list, remote, remoteOffset, 0, 0);
  }

  /** Describes a read into a region with {@link Access#READ_SINK}, or {@link Access#LOCAL_WRITE} where the device needs no more. */
  public WorkRequest read(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.READ, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  /** Describes an addition to the peer's 8-byte word, native byte order; the old value lands at the offset. */
  public WorkRequest fetchAdd(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add) {
    return describe(Operation.FETCH_ADD, result, offset, Long.BYTES, null, remote, remoteOffset, add, 0);
  }

  /** Describes setting the peer's 8-byte word if it has the expected value; the old value lands at the offset. */
  public WorkRequest compareSwap(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected, long swap) {
    return describe(Operation.COMPARE_SWAP, result, offset, Long.BYTES, null, remote, remoteOffset, expected, swap);
  }

  /** Forgets what was described, and the memory with it: a send of nothing. */
  public WorkRequest clear() {
    return send(null, 0, 0);
  }

  /** Describes what another request does; the list is the same one. */
  public WorkRequest set(WorkRequest other) {
    describe(other.operation, other.region, other.offset, other.length, other.list, other.remote, other.remoteOffset, other.operand,
      other.swap);
    memory = other.memory;
    id = other.id;
    flags = other.flags;
    immediate = other.immediate;
    return this;
  }

  /** References are written only where they change: the collectors' barriers behind such a write cost more than all the rest. */
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

  /** @param id comes back in the completion */
  public WorkRequest id(long id) {
    this.id = id;
    return this;
  }

  /** @param flags of {@link PostFlags} */
  public WorkRequest flags(int flags) {
    this.flags = flags;
    return this;
  }

  /**
   * Makes a send or a write one that carries an immediate, of {@link Capabilities#immediateBits()} bits.
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

  /** Changes the bytes of the local range. */
  public WorkRequest length(long length) {
    this.length = length;
    return this;
  }

  /** Changes where in the peer's memory it goes, or comes from. */
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

  /** The local range's region; for reads and atomics where the result goes. Null with a list. */
  public MemoryRegion region() {
    return region;
  }

  /** The memory that a read copies to, {@link #into}; null for one with a region. */
  public MemorySegment memory() {
    return memory;
  }

  /** The offset in the region or the memory at which the local range starts. */
  public long offset() {
    return offset;
  }

  /** Bytes that it moves: those of the local range, or of all elements of the list. */
  public long length() {
    return list == null ? length : list.total();
  }

  /** Ranges that a send or a write gathers in place of a range of one region; null for such a range. */
  public ScatterGather list() {
    return list;
  }

  /** Number of its local ranges: one, or those of the list. */
  public int pieces() {
    return list == null ? 1 : list.size();
  }

  /** The region of a local range. */
  public MemoryRegion pieceRegion(int i) {
    return list == null ? region : list.region(i);
  }

  /** The offset in that region. */
  public long pieceOffset(int i) {
    return list == null ? offset : list.offset(i);
  }

  /** Bytes of a local range. */
  public long pieceLength(int i) {
    return list == null ? length : list.length(i);
  }

  /** The peer's memory; null for sends. */
  public RemoteMemory remote() {
    return remote;
  }

  public long remoteOffset() {
    return remoteOffset;
  }

  public long immediate() {
    return immediate;
  }

  /** The operand that a fetch-add adds, or a compare-swap expects. */
  public long operand() {
    return operand;
  }

  /** The value that a compare-swap sets. */
  public long swap() {
    return swap;
  }

  @Override
  public String toString() {
    return operation + " " + id + " of " + length() + " bytes";
  }
}
