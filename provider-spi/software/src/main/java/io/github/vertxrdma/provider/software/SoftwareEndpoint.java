package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;

/** An endpoint with its receives, the checks of its posts and the count of its completions. */
public abstract class SoftwareEndpoint extends AbstractEndpoint {
  private final SoftwareQueue queue;
  private final PostedReceives receives;
  private final int sendDepth;
  private final int scatterGather;
  private final int inlineSize;
  /** Completions of posted operations that are in the completion queue. Their places are free only when they are drained. */
  private int undrained;

  protected SoftwareEndpoint(SoftwareQueue queue, EndpointOptions options) {
    super(queue);
    this.queue = queue;
    receives = options.receiveQueue() != null ? PostedReceives.shared(options, queue)
      : new PostedReceives(queue, queue.completions(), queue.owner().regions(),
        Math.clamp(options.receiveDepth(), 1, queue.owner().limits().receiveDepth()), this,
        queue.owner().capabilities().receivesInPlace());
    sendDepth = Math.clamp(options.sendDepth(), 1, SoftwareDevice.MAX_SENDS);
    scatterGather = Math.clamp(options.scatterGather(), 1, SoftwareDevice.SCATTER_GATHER);
    inlineSize = Math.clamp(options.inlineSize(), 0, SoftwareDevice.MAX_INLINE);
  }

  @Override
  public final PostedReceives receiveQueue() {
    return receives;
  }

  /** Whether receives may be posted on its own queue. */
  final boolean receives() {
    EndpointState state = state();
    return state != EndpointState.BROKEN && state != EndpointState.CLOSED;
  }

  // Posting

  /**
   * Checks a post, except whether the endpoint is connected.
   *
   * @param flags of the request, without {@link PostFlags#INLINE} for reads and atomics
   * @param waiting posted operations that have not ended
   * @param remoteMemory class of the remote memory of this fabric
   * @return {@link Status#OK} or the status that the post returns
   */
  public final int check(WorkRequest request, int flags, int waiting, Class<? extends SoftwareRemoteMemory> remoteMemory) {
    Operation operation = request.operation();
    long length = request.length();
    if (length > (operation.isOneSided() ? SoftwareDevice.MAX_TRANSFER : SoftwareDevice.MAX_MESSAGE)
      || (flags & PostFlags.INLINE) != 0 && length > inlineSize || operation.hasImmediate() && request.immediate() >>> 32 != 0) {
      return Status.LIMIT;
    }
    if (waiting + undrained >= sendDepth) {
      return Status.AGAIN;
    }
    int status = request.memory() == null ? checkRegions(request) : checkMemory(request);
    return status == Status.OK && operation.isOneSided() ? checkRemote(request, remoteMemory) : status;
  }

  private int checkRegions(WorkRequest request) {
    int pieces = request.pieces();
    if (pieces > scatterGather) {
      return Status.LIMIT;
    }
    RegionTable<?> regions = queue.owner().regions();
    boolean sink = request.operation().isRead();
    for (int i = 0; i < pieces; i++) {
      MemoryRegion region = request.pieceRegion(i);
      long length = request.pieceLength(i);
      if ((region != null || length != 0)
        && !(region instanceof SoftwareRegion own && own.usable(regions, request.pieceOffset(i), length, sink))) {
        return Status.LOCAL_RANGE;
      }
    }
    return Status.OK;
  }

  private int checkMemory(WorkRequest request) {
    return !queue.owner().capabilities().maps() || request.offset() < 0 || request.length() < 0
      || request.offset() > request.memory().byteSize() - request.length() || request.memory().isReadOnly() ? Status.LOCAL_RANGE
        : Status.OK;
  }

  private static int checkRemote(WorkRequest request, Class<? extends SoftwareRemoteMemory> kind) {
    long offset = request.remoteOffset();
    return kind.isInstance(request.remote()) && request.remote().covers(offset, request.length())
      && (!request.operation().isAtomic() || (offset & Long.BYTES - 1) == 0) ? Status.OK : Status.REMOTE_RANGE;
  }

  /** Counts a posted operation that succeeded, and adds its completion if it is to have one. */
  public final void succeeded(long requestId, Operation operation, boolean signaled, long length) {
    counters().succeeded(operation);
    if (signaled) {
      undrained++;
      queue.completions().add(requestId, operation, this, length);
    }
  }

  /** Counts a posted operation that failed, and adds its completion. */
  public final void failed(long requestId, Operation operation, int status, String reason) {
    counters().failed();
    undrained++;
    queue.completions().fail(requestId, operation, this, 0, status, reason);
  }

  /** Returns the number of posted operations that have not ended. */
  protected abstract int waiting();

  @Override
  public final int outstanding() {
    return waiting() + undrained;
  }

  @Override
  public final int sendDepth() {
    return sendDepth;
  }

  @Override
  public final int inlineSize() {
    return inlineSize;
  }

  // Completions

  /** Whether a completion that waits to be drained is to be dropped, since the endpoint was closed meanwhile. */
  final boolean silent(Operation operation) {
    return state() == EndpointState.CLOSED && !(operation == Operation.RECEIVE && receives.shared());
  }

  /** Called when a completion was drained. */
  final void drained(Operation operation) {
    if (operation != Operation.RECEIVE && operation != Operation.REMOTE_WRITE) {
      undrained--;
    }
  }

  /** Called when the endpoint was closed, since its completions are not drained any more. */
  protected final void silence() {
    undrained = 0;
  }
}
