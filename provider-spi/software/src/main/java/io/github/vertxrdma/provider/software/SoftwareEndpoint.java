package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;

/** Endpoint that keeps the connection state and checks posts; a subclass transfers the data. Confined to the completion queue's thread. */
public abstract class SoftwareEndpoint extends AbstractEndpoint implements SoftwareReceives.Waiter {
  /** Maximum time to send a disconnect notice or refusal. */
  private static final long DISCONNECT_MILLIS = 1000;

  private final SoftwareQueue queue;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  private final SoftwareReceives receives;
  private final int sendDepth;
  private final int scatterGather;
  private final int inlineSize;
  /** Number of completions that no poll has returned, except of receives. They count towards {@link #sendDepth}. */
  private int undrained;
  private EndpointState state = EndpointState.INIT;
  private boolean ended;
  private ProviderException failure;
  private EndpointAddress localAddress;
  private EndpointAddress remoteAddress;
  private int readsInFlight;
  private Deadline deadline;
  private ProviderException refusal;
  boolean runnable;

  protected SoftwareEndpoint(SoftwareQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue);
    this.queue = queue;
    this.options = options;
    this.handler = handler;
    receives = options.receiveQueue() != null ? SoftwareReceives.shared(options, queue)
      : queue.owner().newReceives(queue, options.receiveDepth(), this);
    Limits limits = queue.owner().limits();
    sendDepth = Math.clamp(options.sendDepth(), 1, limits.sendDepth());
    scatterGather = Math.clamp(options.scatterGather(), 1, limits.scatterGather());
    inlineSize = Math.clamp(options.inlineSize(), 0, limits.inlineSize());
    readsInFlight = limits.readsInFlight();
  }

  @Override
  public final SoftwareReceives receiveQueue() {
    return receives;
  }

  final boolean receives() {
    return state != EndpointState.BROKEN && state != EndpointState.CLOSED;
  }

  protected final EndpointOptions options() {
    return options;
  }

  protected final void checkConnect(EndpointAddress remote, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(name() + ": cannot connect to " + remote + " with an endpoint in state " + state);
    }
    queue.owner().checkPrivateData(privateData);
  }

  /** Begins a connect, which fails unless {@link #connected} is called in time. */
  protected final void connecting(EndpointAddress remote) {
    remoteAddress = remote;
    state = EndpointState.CONNECTING;
    int millis = options.connectTimeoutMillis();
    deadline = queue.deadline(millis, () -> fail(Reason.TIMEOUT, remote + " did not answer within " + millis
      + " ms. Check that a process listens there and polls its completion queue"));
  }

  protected final void addresses(EndpointAddress local, EndpointAddress remote) {
    localAddress = local;
    remoteAddress = remote;
  }

  protected final void connected(int peerReadsInFlight, byte[] privateData) {
    cancelDeadline();
    readsInFlight = Math.clamp(peerReadsInFlight, 1, queue.owner().limits().readsInFlight());
    state = EndpointState.CONNECTED;
    queue.connected(this, handler, privateData);
  }

  public final void rejected(byte[] privateData) {
    fail(new ProviderException(Reason.REJECTED, 0, name() + ": " + remoteAddress() + " rejected the connection", privateData, null));
  }

  @Override
  public final void disconnect() {
    switch (state) {
      case INIT, CONNECTING -> fail(Reason.DISCONNECTED, "disconnected by this side before it was connected");
      case CONNECTED -> {
        state = EndpointState.BROKEN;
        sendDisconnect();
        if (!ended) {
          deadline = queue.deadline(DISCONNECT_MILLIS, () -> fail(Reason.DISCONNECTED, "disconnected from " + remoteAddress() + " by "
            + "this side; the peer did not read the disconnect notice within " + DISCONNECT_MILLIS + " ms"));
        }
      }
      default -> {
      }
    }
  }

  /** Notifies the peer of the disconnect after the posted operations, then calls {@link #disconnectSent}. */
  protected abstract void sendDisconnect();

  public final void disconnectSent() {
    fail(Reason.DISCONNECTED, "disconnected from " + remoteAddress() + " by this side");
  }

  @Override
  public final void peerDead(String reason) {
    if (state != EndpointState.CLOSED) {
      fail(Reason.DISCONNECTED, "the peer is dead: " + reason + " (" + remoteAddress() + ")");
    }
  }

  /** Returns the region that a request of the peer names. If the peer may not use it, refuses the request and returns null. */
  public final SoftwareRegion target(int slot, long secret, Access access, long offset, long bytes, long sequence) {
    SoftwareRegion region = queue.owner().regions().find(slot, secret);
    String problem = SoftwareRegion.refusal(region, access, offset, bytes);
    if (problem != null) {
      refuse(sequence, Status.REMOTE_ACCESS, "a request of the peer for " + access + " was refused: " + problem);
      return null;
    }
    return region;
  }

  /** Refuses an operation of the peer. The connection ends when the refusal is sent, at the latest after a second. */
  public final void refuse(long sequence, int status, String reason) {
    if (refusal == null) {
      ProviderException cause = error(reasonOf(status), reason + "; the connection with " + remoteAddress() + " is closed");
      refusal = cause;
      deadline = queue.deadline(DISCONNECT_MILLIS, () -> fail(cause));
      sendRefusal(sequence, status);
    }
  }

  /**
   * Sends a refusal after earlier answers, then calls {@link #refusalSent}. The default sends nothing: the connection ends after a second.
   */
  protected void sendRefusal(long sequence, int status) {
  }

  public final boolean isRefusing() {
    return refusal != null;
  }

  public final void refusalSent() {
    fail(refusal);
  }

  private static Reason reasonOf(int status) {
    return status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID;
  }

  protected final void refused(int status) {
    fail(reasonOf(status), remoteAddress() + " refused an operation with " + Status.name(status)
      + (status == Status.LENGTH ? ": the message was longer than its receive"
        : ": the remote key, range or access is wrong, or the region was closed")
      + "; the connection has ended");
  }

  /** Ends the connection because memory of a post is not accessible. @param cause null if its region was closed */
  public final void memoryGone(RuntimeException cause) {
    fail(new ProviderException(Reason.INVALID, name() + ": " + (cause instanceof MemoryFaultException
      ? "the connection with " + remoteAddress() + " has ended: " + cause.getMessage()
      : "memory was freed while the connection with " + remoteAddress() + " used it, or belongs to another thread. Close regions "
        + "after their operations have ended"),
      cause));
  }

  public final void broken(Throwable cause) {
    fail(new ProviderException(Reason.OTHER, name() + ": the connection with " + remoteAddress() + " has ended: " + cause, cause));
  }

  public final void violated(String what) {
    fail(Reason.OTHER, "the peer " + remoteAddress() + " sent " + what + ". Check that both processes have the same version of "
      + "vertx-rdma");
  }

  public final void fail(Reason reason, String message) {
    fail(error(reason, message));
  }

  private ProviderException error(Reason reason, String message) {
    return new ProviderException(reason, name() + ": " + message);
  }

  private String name() {
    return queue.owner().device().name();
  }

  public final void fail(ProviderException cause) {
    if (!ended) {
      state = EndpointState.BROKEN;
      failure = cause;
      end(cause.getMessage());
      queue.disconnected(this, handler, cause);
    }
  }

  public final boolean isEnded() {
    return ended;
  }

  private void end(String reason) {
    ended = true;
    cancelDeadline();
    release(reason);
    if (!receives.shared()) {
      receives.flush();
    }
  }

  /** Flushes posted operations and an unfinished receive, and frees the connection. */
  protected abstract void release(String reason);

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  /** Tries to notify the peer of a close, without waiting, before {@link #release}. */
  protected void trySendDisconnect() {
  }

  @Override
  public final void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    if (state == EndpointState.CONNECTED) {
      trySendDisconnect();
    }
    state = EndpointState.CLOSED;
    if (!ended) {
      end("the endpoint was closed");
    }
    undrained = 0;
    queue.remove(this);
    closed();
  }

  protected void closed() {
  }

  @Override
  public final EndpointState state() {
    return state;
  }

  @Override
  public final ProviderException failure() {
    return failure;
  }

  @Override
  public final EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public final EndpointAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public final int readsInFlight() {
    return readsInFlight;
  }

  @Override
  public final int sendDepth() {
    return sendDepth;
  }

  @Override
  public final int inlineSize() {
    return inlineSize;
  }

  /**
   * Checks a post, but not the endpoint's state.
   *
   * @param flags without {@link PostFlags#INLINE} for reads and atomics
   * @param waiting posted operations that have not ended
   */
  public final int check(WorkRequest request, int flags, int waiting, Class<? extends SoftwareRemoteMemory> remoteMemory) {
    return queue.owner().check(request, flags, inlineSize, scatterGather, waiting + undrained >= sendDepth, remoteMemory);
  }

  public final void succeeded(long requestId, Operation operation, boolean signaled, long length) {
    if (signaled) {
      undrained++;
      queue.completions().add(requestId, operation, this, length);
    }
  }

  public final void failed(long requestId, Operation operation, int status, String reason) {
    undrained++;
    queue.completions().fail(requestId, operation, this, 0, status, reason);
  }

  protected abstract int waiting();

  @Override
  public final void receivePosted() {
    queue.runLater(this);
  }

  final void runNow() {
    runnable = false;
    if (!ended) {
      try {
        run();
      } catch (RuntimeException | Error e) {
        broken(e);
      }
    }
  }

  protected void run() {
  }

  final ArrayDeque<PostedOperation> unusedOperations() {
    return queue.unusedOperations;
  }

  @Override
  public final int outstanding() {
    return waiting() + undrained;
  }

  public final void received(long requestId, long length, boolean hasImmediate, int immediate) {
    queue.completions().add(requestId, Operation.RECEIVE, this, length, hasImmediate, Integer.toUnsignedLong(immediate));
  }

  public final void received(long requestId, MemorySegment memory, long at, int length, boolean hasImmediate, int immediate) {
    queue.completions().add(requestId, this, memory, at, length, hasImmediate, Integer.toUnsignedLong(immediate));
  }

  public final void receiveTooShort(long requestId, long room, long length, long sequence) {
    String error = "a message of " + length + " bytes is too long for the posted receive of " + room;
    queue.completions().fail(requestId, Operation.RECEIVE, this, length, Status.LENGTH, error);
    refuse(sequence, Status.LENGTH, error);
  }

  public final void receiveFlushed(long requestId) {
    queue.completions().fail(requestId, Operation.RECEIVE, this, 0, Status.FLUSHED,
      "the connection ended before the message was received entirely");
  }

  /** Reports a peer's write with immediate. Call {@link SoftwareQueue#hasRoomForRemoteWrite} before. */
  public final void remoteWritten(long length, int immediate) {
    queue.completions().add(-1, Operation.REMOTE_WRITE, this, length, true, Integer.toUnsignedLong(immediate));
  }

  /** Returns whether to drop a completion because the endpoint is closed. Those of shared receives are kept. */
  final boolean isDropped(Operation operation, long requestId) {
    return state == EndpointState.CLOSED
      && !(receives.shared() && (operation == Operation.RECEIVE || operation == Operation.REMOTE_WRITE && requestId != -1));
  }

  final void drained(Operation operation) {
    if (operation != Operation.RECEIVE && operation != Operation.REMOTE_WRITE) {
      undrained--;
    }
  }
}
