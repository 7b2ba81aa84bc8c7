package io.github.vertxrdma.provider.devices.strict;

import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.devices.forward.ForwardingEndpoint;
import java.lang.foreign.MemorySegment;

/** Checks every post. Posts all requests to the wrapped endpoint as signalled, and decides which completions the user receives. */
final class StrictEndpoint extends ForwardingEndpoint {
  /**
   * Flags of posts whose memory is not checked: inline data are copied during the post, and a fenced post may send data of an earlier read.
   */
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
  protected void bind(Endpoint wrapped) {
    super.bind(wrapped);
    depth = Math.min(depth, wrapped.sendDepth());
    ((StrictReceives) receiveQueue()).usedOn(queue);
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

  @Override
  protected void onConnected(byte[] privateData) {
    queue.checkThread("connected");
    incoming = Ledger.opened(raw(), ledger());
    super.onConnected(privateData);
  }

  @Override
  protected void onDisconnected(ProviderException cause) {
    queue.checkThread("disconnected");
    why = why == null ? cause : why;
    broken = true;
    disconnectedFromPeer();
    log.flushSilent(why.getMessage());
    turn();
    super.onDisconnected(why);
  }

  private void disconnectedFromPeer() {
    if (incoming != null) {
      incoming = null;
      Ledger.closed(raw());
    }
  }

  @Override
  public ProviderException failure() {
    return why != null ? why : super.failure();
  }

  /** Called at each poll. Posts staged writes, or flushes the work of an ended connection. */
  void turn() {
    if (broken) {
      if (raw().outstanding() == 0) {
        log.flush("the connection has ended");
      }
    } else if (raw().state() == EndpointState.CONNECTED) {
      staged.turn(raw());
    }
  }

  /** @return false if the completion belongs to no post of this endpoint */
  boolean completed(long id, int status, String error) {
    if ((id & TAG) != TAG) {
      return false;
    }
    SendLog.StrictWork work = log.byId(id);
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

  @Override
  public int post(WorkRequest request) {
    Operation operation = request.operation();
    int status = check(operation);
    if (status == Status.OK && request.memory() != null) {
      // This device offers no mapped memory, which a read to heap memory needs.
      return Status.AGAIN;
    }
    if (status == Status.OK && operation.isOneSided()) {
      status = checkMemory(request);
    }
    if (status != Status.OK) {
      return status;
    }
    SendLog.StrictWork work = new SendLog.StrictWork(ids++, request);
    if (operation.isOneSided() && !((StrictRemote) request.remote()).allowed(operation.remoteAccess(), request.remoteOffset(),
      request.length())) {
      return breaks(work, Status.REMOTE_ACCESS, ProviderException.Reason.PERMISSION,
        operation + " with a key, range or access that the owner does not allow");
    }
    if (operation == Operation.READ) {
      return read(work, request);
    }
    if (operation == Operation.WRITE && stage(work, request)) {
      return Status.OK;
    }
    if (!operation.isAtomic()) {
      watch(work, request);
    }
    boolean claims = !operation.isOneSided()
      || operation == Operation.WRITE_IMMEDIATE && domain.capabilities().immediateConsumesReceive();
    return claims ? message(work, request) : submit(work, request);
  }

  private int check(Operation operation) {
    queue.checkThread("post");
    if (raw().state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    if (log.used() >= depth || operation.isRead() && log.reads() >= readsInFlight() || ordered && !staged.drain(raw())) {
      return Status.AGAIN;
    }
    return domain.capabilities().can(operation) ? Status.OK : Status.UNSUPPORTED;
  }

  private int checkMemory(WorkRequest request) {
    if (request.pieces() > domain.limits().scatterGather()) {
      return Status.LIMIT;
    }
    if (ranges(request, 0) == null) {
      return Status.LOCAL_RANGE;
    }
    return request.remote() instanceof StrictRemote remote && remote.covers(request.remoteOffset(), request.length())
      && (!request.operation().isAtomic() || remote.aligned(request.remoteOffset())) ? Status.OK : Status.REMOTE_RANGE;
  }

  /** Returns the local ranges of a request without the first {@code skipped} bytes; null if a range exceeds its region. */
  private static MemorySegment[] ranges(WorkRequest request, int skipped) {
    MemorySegment[] ranges = new MemorySegment[request.pieces()];
    for (int i = 0; i < ranges.length; i++) {
      int skip = i == 0 ? Math.clamp(request.pieceLength(0), 0, skipped) : 0;
      ranges[i] = StrictRegion.range(request.pieceRegion(i), request.pieceOffset(i) + skip, request.pieceLength(i) - skip);
      if (ranges[i] == null) {
        return null;
      }
    }
    return ranges;
  }

  private int submit(SendLog.StrictWork work, WorkRequest request) {
    WorkRequest wrapped = unwrap(request).id(work.id).flags(request.flags() & ~PostFlags.UNLESS_DONE | PostFlags.SIGNALED);
    int bits = domain.capabilities().immediateBits();
    if (work.operation.hasImmediate() && bits < Long.SIZE) {
      wrapped.immediate(request.immediate() & (1L << bits) - 1);
    }
    int status = raw().post(wrapped);
    if (status == Status.OK) {
      log.add(work);
      queue.checkRoom();
    }
    return status;
  }

  /** Fails a request and breaks the connection, as the strictest fabric does. */
  private int breaks(SendLog.StrictWork work, int status, ProviderException.Reason reason, String error) {
    log.add(work);
    log.complete(work, status, error);
    why = new ProviderException(reason, domain.device().name() + ": " + error);
    raw().disconnect();
    return Status.OK;
  }

  private int message(SendLog.StrictWork work, WorkRequest request) {
    if (outgoing == null) {
      outgoing = Ledger.outgoing(raw());
    }
    boolean room = outgoing == null || outgoing.claim();
    int status;
    if (room) {
      status = submit(work, request);
    } else {
      status = breaks(work, Status.RNR_EXCEEDED, ProviderException.Reason.DISCONNECTED, "a message to a peer that has no receive posted");
    }
    if (outgoing != null && (status != Status.OK || !room)) {
      outgoing.release();
    }
    return status;
  }

  private int read(SendLog.StrictWork work, WorkRequest request) {
    byte[] before = StrictReceives.poison(request.region(), request.offset(), request.length());
    int status = submit(work, request);
    if (status != Status.OK) {
      StrictReceives.restore(request.region(), request.offset(), before);
    }
    return status;
  }

  /** Completes a plain write now and delivers it later. @return false if the write is not plain, or no staging memory is free */
  private boolean stage(SendLog.StrictWork work, WorkRequest request) {
    long length = request.length();
    boolean plain = (request.flags() & (PostFlags.DELIVERY_COMPLETE | PostFlags.FENCE)) == 0 && request.list() == null;
    if (!plain || length == 0 || length > StagedWrites.SLOT || !staged.stage(work.id,
      StrictRegion.range(request.region(), request.offset(), length), (StrictRemote) request.remote(), request.remoteOffset())) {
      return false;
    }
    log.add(work);
    log.complete(work, Status.OK, null);
    return true;
  }

  private void watch(SendLog.StrictWork work, WorkRequest request) {
    if ((request.flags() & UNWATCHED) != 0) {
      return;
    }
    // The provider fills the prefix during the post.
    int prefix = work.operation.isOneSided() ? 0 : domain.capabilities().messagePrefix();
    MemorySegment[] ranges = ranges(request, prefix);
    if (ranges != null && request.length() <= Integer.MAX_VALUE - 8) {
      work.watch(ranges);
    }
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    queue.checkThread("connect");
    super.connect(remote, privateData);
  }

  @Override
  public void disconnect() {
    queue.checkThread("disconnect");
    super.disconnect();
  }

  @Override
  public int flush() {
    queue.checkThread("flush");
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
