package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import java.lang.foreign.MemorySegment;
import java.util.function.LongToIntFunction;

/** Watches every post. The device behind is told to signal all; what the user hears is decided here. */
final class StrictEndpoint extends ForwardingEndpoint {
  /** Inline data is copied at once; a fenced post sends what an earlier read brings. */
  private static final int UNWATCHED = PostFlags.INLINE | PostFlags.FENCE;
  private static final long TAG = 0x57a1_c700_0000_0000L;
  private final StrictDomain domain;
  private final StrictQueue queue;
  private final SendLog log;
  private final StagedWrites staged;
  private final boolean ordered;
  private int depth;
  private long ids = TAG;
  private Ledger.Claims incoming;
  private Ledger.Claims outgoing;
  private ProviderException why;
  private boolean broken;
  private boolean closed;

  StrictEndpoint(StrictDomain domain, StrictQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(domain, queue, options, handler);
    this.domain = domain;
    this.queue = queue;
    log = new SendLog(queue, this);
    staged = new StagedWrites(domain);
    Capabilities capabilities = domain.capabilities();
    ordered = capabilities.promises(Capabilities.Order.SEND_AFTER_WRITE) || capabilities.promises(Capabilities.Order.WRITE_AFTER_WRITE);
    depth = Math.max(2, Math.min(options.sendDepth(), domain.limits().sendDepth()));
  }

  @Override
  protected void bind(Endpoint behind) {
    super.bind(behind);
    depth = Math.min(depth, behind.sendDepth());
    queue.add(this);
  }

  Ledger ledger() {
    return ((StrictReceives) receiveQueue()).ledger;
  }

  int used() {
    return log.used();
  }

  int unannounced() {
    return log.oneSided() + staged.waiting();
  }

  // What the device behind says

  @Override
  protected void heardConnected(byte[] privateData) {
    incoming = Connections.opened(raw(), ledger());
    super.heardConnected(privateData);
  }

  @Override
  protected void heardDisconnected(ProviderException cause) {
    why = why == null ? cause : why;
    broken = true;
    disconnectedFromPeer();
    log.flushSilent(why.getMessage());
    turn();
    super.heardDisconnected(why);
  }

  private void disconnectedFromPeer() {
    if (incoming != null) {
      incoming = null;
      Connections.closed(raw());
    }
  }

  @Override
  public ProviderException failure() {
    return why != null ? why : super.failure();
  }

  /** A turn of the queue. */
  void turn() {
    if (broken) {
      if (raw().outstanding() == 0) {
        log.flush("the connection is over");
      }
    } else if (raw().state() == EndpointState.CONNECTED) {
      staged.turn(raw());
    }
  }

  /** A completion of the device behind. @return false if it is not of a post here */
  boolean completed(long id, int status, String error) {
    if ((id & TAG) != TAG) {
      return false;
    }
    StrictWork work = log.byId(id);
    if (staged.completed(id) || work == null) {
      return true;
    }
    if (status == Status.OK && !work.untouched()) {
      domain.strict().violated("the memory of " + work.operation + ' ' + work.requestId + " changed before its completion");
    }
    log.complete(work, status, error);
    return true;
  }

  void received() {
    if (incoming != null) {
      incoming.release();
    }
    ledger().completed();
  }

  void drained(int slots, int readSlots) {
    if (!closed) {
      log.drained(slots, readSlots);
    }
  }

  // Posting

  /** What every post asks first. */
  private int check(boolean read) {
    queue.checkThread("post");
    if (raw().state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    if (log.used() >= depth || read && log.reads() >= readsInFlight() || ordered && !staged.drain(raw())) {
      return Status.AGAIN;
    }
    return Status.OK;
  }

  private int submit(StrictWork work, LongToIntFunction post) {
    int status = post.applyAsInt(work.id);
    if (status == Status.OK) {
      log.add(work);
      queue.checkRoom();
    }
    return status;
  }

  private StrictWork work(long requestId, Operation operation, int flags) {
    return new StrictWork(ids++, requestId, operation, (flags & PostFlags.SIGNALED) != 0);
  }

  /** Breaks the connection as the strictest fabric does. */
  private int breaks(StrictWork work, int status, ProviderException.Reason reason, String error) {
    log.add(work);
    log.complete(work, status, error);
    why = new ProviderException(reason, domain.device().name() + ": " + error);
    raw().disconnect();
    return Status.OK;
  }

  private int forbidden(StrictWork work) {
    return breaks(work, Status.REMOTE_ACCESS, ProviderException.Reason.PERMISSION,
      work.operation + " with a key, range or access that the owner does not allow");
  }

  private int message(StrictWork work, LongToIntFunction post) {
    if (outgoing == null) {
      outgoing = Connections.outgoing(raw());
    }
    boolean room = outgoing == null || outgoing.claim();
    int status;
    if (room) {
      status = submit(work, post);
    } else {
      status = breaks(work, Status.RNR_EXCEEDED, ProviderException.Reason.DISCONNECTED, "a message to a peer that has no receive posted");
    }
    if (outgoing != null && (status != Status.OK || !room)) {
      outgoing.release();
    }
    return status;
  }

  private static void watch(StrictWork work, MemoryRegion region, long offset, long length, int flags) {
    MemorySegment range = (flags & UNWATCHED) != 0 ? null : StrictRegion.range(region, offset, length);
    if (range != null && length <= Integer.MAX_VALUE - 8) {
      work.watch(range);
    }
  }

  private static void watch(StrictWork work, ScatterGather list, int flags) {
    MemorySegment[] ranges = new MemorySegment[list.size()];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] = StrictRegion.range(list.region(i), list.offset(i), list.length(i));
      if (ranges[i] == null) {
        return; // it will be refused
      }
    }
    if ((flags & UNWATCHED) == 0) {
      work.watch(ranges);
    }
  }

  @Override
  public int postSend(long requestId, MemoryRegion region, long offset, int length, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    StrictWork work = work(requestId, Operation.SEND, flags);
    // The provider fills its prefix while it posts: what counts is the rest.
    int prefix = Math.clamp(length, 0, domain.capabilities().messagePrefix());
    watch(work, region, offset + prefix, length - prefix, flags);
    return message(work, id -> super.postSend(id, region, offset, length, flags | PostFlags.SIGNALED));
  }

  @Override
  public int postSend(long requestId, ScatterGather list, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    StrictWork work = work(requestId, Operation.SEND, flags);
    if (domain.capabilities().messagePrefix() == 0) {
      watch(work, list, flags);
    }
    return message(work, id -> super.postSend(id, list, flags | PostFlags.SIGNALED));
  }

  @Override
  public int postSendImmediate(long requestId, MemoryRegion region, long offset, int length, long immediate, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    if (!domain.capabilities().can(Operation.SEND_IMMEDIATE)) {
      return Status.UNSUPPORTED;
    }
    StrictWork work = work(requestId, Operation.SEND_IMMEDIATE, flags);
    int prefix = Math.clamp(length, 0, domain.capabilities().messagePrefix());
    watch(work, region, offset + prefix, length - prefix, flags);
    return message(work, id -> super.postSendImmediate(id, region, offset, length, truncate(immediate), flags | PostFlags.SIGNALED));
  }

  private long truncate(long immediate) {
    int bits = domain.capabilities().immediateBits();
    return bits >= Long.SIZE ? immediate : immediate & (1L << bits) - 1;
  }

  @Override
  public int postWrite(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    MemorySegment from = StrictRegion.range(region, offset, length);
    if (from == null) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof StrictRemote to) || !to.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    StrictWork work = work(requestId, Operation.WRITE, flags);
    if (!to.allowed(Access.REMOTE_WRITE, remoteOffset, length)) {
      return forbidden(work);
    }
    boolean plain = (flags & (PostFlags.DELIVERY_COMPLETE | PostFlags.FENCE)) == 0;
    if (plain && length > 0 && length <= StagedWrites.SLOT && staged.stage(work.id, from, to, remoteOffset)) {
      log.add(work);
      log.complete(work, Status.OK, null);
      return Status.OK;
    }
    watch(work, region, offset, length, flags);
    return submit(work, id -> raw().postWrite(id, domain.unwrap(region), offset, length, to.raw, remoteOffset,
      flags | PostFlags.SIGNALED));
  }

  @Override
  public int postWrite(long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    if (list.size() > domain.limits().scatterGather()) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      if (StrictRegion.range(list.region(i), list.offset(i), list.length(i)) == null) {
        return Status.LOCAL_RANGE;
      }
    }
    if (!(remote instanceof StrictRemote to) || !to.covers(remoteOffset, list.total())) {
      return Status.REMOTE_RANGE;
    }
    StrictWork work = work(requestId, Operation.WRITE, flags);
    if (!to.allowed(Access.REMOTE_WRITE, remoteOffset, list.total())) {
      return forbidden(work);
    }
    watch(work, list, flags);
    return submit(work, id -> raw().postWrite(id, unwrap(list), to.raw, remoteOffset, flags | PostFlags.SIGNALED));
  }

  @Override
  public int postWriteImmediate(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags) {
    int status = check(false);
    if (status != Status.OK) {
      return status;
    }
    if (!domain.capabilities().can(Operation.WRITE_IMMEDIATE)) {
      return Status.UNSUPPORTED;
    }
    if (StrictRegion.range(region, offset, length) == null) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof StrictRemote to) || !to.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    StrictWork work = work(requestId, Operation.WRITE_IMMEDIATE, flags);
    if (!to.allowed(Access.REMOTE_WRITE, remoteOffset, length)) {
      return forbidden(work);
    }
    watch(work, region, offset, length, flags);
    LongToIntFunction post = id -> raw().postWriteImmediate(id, domain.unwrap(region), offset, length, to.raw, remoteOffset,
      truncate(immediate), flags | PostFlags.SIGNALED);
    return domain.capabilities().immediateConsumesReceive() ? message(work, post) : submit(work, post);
  }

  @Override
  public int postRead(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = check(true);
    if (status != Status.OK) {
      return status;
    }
    if (StrictRegion.range(region, offset, length) == null) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof StrictRemote from) || !from.covers(remoteOffset, length)) {
      return Status.REMOTE_RANGE;
    }
    StrictWork work = work(requestId, Operation.READ, flags);
    if (!from.allowed(Access.REMOTE_READ, remoteOffset, length)) {
      return forbidden(work);
    }
    byte[] before = StrictReceives.poison(region, offset, length);
    status = submit(work, id -> raw().postRead(id, domain.unwrap(region), offset, length, from.raw, remoteOffset,
      flags | PostFlags.SIGNALED));
    if (status != Status.OK) {
      StrictReceives.restore(region, offset, before);
    }
    return status;
  }

  @Override
  public int postFetchAdd(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add, int flags) {
    StrictWork work = work(requestId, Operation.FETCH_ADD, flags);
    return atomic(work, result, offset, remote, remoteOffset, (id, at) -> raw().postFetchAdd(id, domain.unwrap(result), offset, at,
      remoteOffset, add, flags | PostFlags.SIGNALED));
  }

  @Override
  public int postCompareSwap(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected,
    long swap, int flags) {
    StrictWork work = work(requestId, Operation.COMPARE_SWAP, flags);
    return atomic(work, result, offset, remote, remoteOffset, (id, at) -> raw().postCompareSwap(id, domain.unwrap(result), offset, at,
      remoteOffset, expected, swap, flags | PostFlags.SIGNALED));
  }

  private interface Atomic {
    int post(long id, RemoteMemory at);
  }

  private int atomic(StrictWork work, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, Atomic post) {
    int status = check(true);
    if (status != Status.OK) {
      return status;
    }
    if (!domain.capabilities().can(work.operation)) {
      return Status.UNSUPPORTED;
    }
    if (StrictRegion.range(result, offset, Long.BYTES) == null) {
      return Status.LOCAL_RANGE;
    }
    if (!(remote instanceof StrictRemote at) || !at.covers(remoteOffset, Long.BYTES) || !at.aligned(remoteOffset)) {
      return Status.REMOTE_RANGE;
    }
    if (!at.allowed(Access.REMOTE_ATOMIC, remoteOffset, Long.BYTES)) {
      return forbidden(work);
    }
    return submit(work, id -> post.post(id, at.raw));
  }

  @Override
  public int flush() {
    int status = super.flush();
    return status == Status.OK && ordered && !staged.drain(raw()) ? Status.AGAIN : status;
  }

  @Override
  public int sendDepth() {
    return depth;
  }

  @Override
  public int readsInFlight() {
    return Math.min(super.readsInFlight(), domain.limits().readsInFlight());
  }

  @Override
  public int outstanding() {
    return closed ? super.outstanding() : log.outstanding();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    disconnectedFromPeer();
    super.close();
    closed = true;
    staged.clear();
    log.clear();
    queue.remove(this);
  }
}
