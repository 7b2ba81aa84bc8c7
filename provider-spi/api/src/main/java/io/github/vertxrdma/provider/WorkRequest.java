package io.github.vertxrdma.provider;

import java.lang.foreign.MemorySegment;

/**
 * Operation to post. Mutable and reusable; confined to the endpoint's thread. A post does not change or keep the request.
 *
 * <p>{@link #send}, {@link #write}, {@link #read}, {@link #fetchAdd} and {@link #compareSwap} set all other fields, such as id and flags,
 * to 0 or null.
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

  /**
   * Describes a send. The provider overwrites the first {@link Capabilities#messagePrefix()} bytes. If that is not 0, outstanding sends
   * must not share memory.
   */
  public WorkRequest send(MemoryRegion region, long offset, long length) {
    return describe(Operation.SEND, region, offset, length, null, null, 0, 0, 0);
  }

  public WorkRequest send(ScatterGather list) {
    return describe(Operation.SEND, null, 0, 0, list, null, 0, 0, 0);
  }

  /** Describes a write. Its completion proves delivery only with {@link PostFlags#DELIVERY_COMPLETE}. */
  public WorkRequest write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  public WorkRequest write(ScatterGather list, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.WRITE, null, 0, 0, list, remote, remoteOffset, 0, 0);
  }

  /** Describes a read. The region needs {@link Access#READ_SINK} on iWARP; otherwise {@link Access#LOCAL_WRITE} suffices. */
  public WorkRequest read(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset) {
    return describe(Operation.READ, region, offset, length, null, remote, remoteOffset, 0, 0);
  }

  /** Describes an addition to the peer's 8-byte word, in native byte order. The old value is written to the result region. */
  public WorkRequest fetchAdd(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add) {
    return describe(Operation.FETCH_ADD, result, offset, Long.BYTES, null, remote, remoteOffset, add, 0);
  }

  /**
   * Describes an atomic that replaces the peer's 8-byte word if it has the expected value. The old value is written to the result region.
   */
  public WorkRequest compareSwap(MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected, long swap) {
    return describe(Operation.COMPARE_SWAP, result, offset, Long.BYTES, null, remote, remoteOffset, expected, swap);
  }

  /** Drops all references. */
  public WorkRequest clear() {
    return send(null, 0, 0);
  }

  /** Copies another request, but shares its {@link ScatterGather}. */
  public WorkRequest set(WorkRequest other) {
    describe(other.operation, other.region, other.offset, other.length, other.list, other.remote, other.remoteOffset, other.operand,
      other.swap);
    memory = other.memory;
    id = other.id;
    flags = other.flags;
    immediate = other.immediate;
    return this;
  }

  /** Assigns only changed references, to save write barriers. */
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

  public WorkRequest id(long id) {
    this.id = id;
    return this;
  }

  public WorkRequest flags(int flags) {
    this.flags = flags;
    return this;
  }

  /** @throws IllegalStateException for a read or an atomic */
  public WorkRequest immediate(long immediate) {
    operation = switch (operation) {
      case SEND, SEND_IMMEDIATE -> Operation.SEND_IMMEDIATE;
      case WRITE, WRITE_IMMEDIATE -> Operation.WRITE_IMMEDIATE;
      default -> throw new IllegalStateException("a " + operation + " cannot have an immediate");
    };
    this.immediate = immediate;
    return this;
  }

  public WorkRequest local(MemoryRegion region, long offset, long length) {
    this.region = region;
    this.offset = offset;
    this.length = length;
    memory = null;
    list = null;
    return this;
  }

  /**
   * Sets unregistered memory as the destination of a read from {@linkplain Capabilities#maps() mapped} memory. If the post returns {@link
   * Status#AGAIN}, the read needs a region instead.
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
   * Sets several ranges instead of one.
   *
   * @throws IllegalStateException for a read or an atomic
   */
  public WorkRequest local(ScatterGather list) {
    if (operation.isRead()) {
      throw new IllegalStateException("a " + operation + " cannot have a list of buffers");
    }
    local(null, 0, 0);
    this.list = list;
    return this;
  }

  public WorkRequest length(long length) {
    this.length = length;
    return this;
  }

  public WorkRequest remote(RemoteMemory remote, long remoteOffset) {
    this.remote = remote;
    this.remoteOffset = remoteOffset;
    return this;
  }

  public long id() {
    return id;
  }

  public Operation operation() {
    return operation;
  }

  public int flags() {
    return flags;
  }

  public MemoryRegion region() {
    return region;
  }

  public MemorySegment memory() {
    return memory;
  }

  public long offset() {
    return offset;
  }

  public long length() {
    return list == null ? length : list.total();
  }

  public ScatterGather list() {
    return list;
  }

  public int pieces() {
    return list == null ? 1 : list.size();
  }

  public MemoryRegion pieceRegion(int i) {
    return list == null ? region : list.region(i);
  }

  public long pieceOffset(int i) {
    return list == null ? offset : list.offset(i);
  }

  public long pieceLength(int i) {
    return list == null ? length : list.length(i);
  }

  public RemoteMemory remote() {
    return remote;
  }

  public long remoteOffset() {
    return remoteOffset;
  }

  public long immediate() {
    return immediate;
  }

  public long operand() {
    return operand;
  }

  public long swap() {
    return swap;
  }

  @Override
  public String toString() {
    return operation + " " + id + " of " + length() + " bytes";
  }
}
