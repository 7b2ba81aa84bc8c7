package io.github.vertxrdma.provider.software;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.provider.AbstractEndpoint;
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

/**
 * An endpoint with its state, receives, checks of posts and count of completions. A subclass moves the bytes: it reports what happens on
 * its way to the peer by {@link #connected}, {@link #fail} and the methods that fail with a cause. Confined to the completion queue's
 * thread.
 */
public abstract class SoftwareEndpoint extends AbstractEndpoint {
  /** Time in milliseconds in which a goodbye, or the refusal of an operation, has to leave. */
  private static final long GOODBYE_MILLIS = 1000;

  private final SoftwareQueue queue;
  private final EndpointOptions options;
  private final EndpointHandler handler;
  private final SoftwareReceives receives;
  private final int sendDepth;
  private final int scatterGather;
  private final int inlineSize;
  /** Completions of posted operations that are in the completion queue. Their places are free only when they are drained. */
  private int undrained;
  private EndpointState state = EndpointState.INIT;
  /** True after the end was reported, or the endpoint was closed. */
  private boolean ended;
  private ProviderException failure;
  private EndpointAddress localAddress;
  private EndpointAddress remoteAddress;
  private int readsInFlight;
  /** Time by which the peer has to accept, or the last words have to leave; null if neither is awaited. */
  private Deadline deadline;

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

  /** Returns whether receives may be posted on the endpoint's own queue. */
  final boolean receives() {
    return state != EndpointState.BROKEN && state != EndpointState.CLOSED;
  }

  // Connecting

  protected final EndpointOptions options() {
    return options;
  }

  /** Checks a connect. @throws IllegalStateException if the endpoint was used before */
  protected final void checkConnect(EndpointAddress remote, byte[] privateData) {
    if (state != EndpointState.INIT) {
      throw new IllegalStateException(name() + ": connect to " + remote + " on an endpoint that is " + state);
    }
    queue.owner().checkPrivateData(privateData);
  }

  /** Begins a connect, which fails unless {@link #connected} is called within the time of the options. */
  protected final void connecting(EndpointAddress remote) {
    remoteAddress = remote;
    state = EndpointState.CONNECTING;
    int millis = options.connectTimeoutMillis();
    deadline = queue.deadline(millis, () -> fail(Reason.TIMEOUT, remote + " did not answer within " + millis
      + " ms: is a process listening there, and is it polling its completion queue?"));
  }

  /** Sets the addresses of both ends; null if the subclass derives one. */
  protected final void addresses(EndpointAddress local, EndpointAddress remote) {
    localAddress = local;
    remoteAddress = remote;
  }

  /**
   * Reports that the connection stands.
   *
   * @param peerReadsInFlight reads and atomics that the peer accepts at a time, as the peer states
   * @param privateData of the peer
   */
  protected final void connected(int peerReadsInFlight, byte[] privateData) {
    cancelDeadline();
    readsInFlight = Math.clamp(peerReadsInFlight, 1, queue.owner().limits().readsInFlight());
    state = EndpointState.CONNECTED;
    queue.connected(this, handler, privateData);
  }

  /** Fails since the peer rejected the connection. */
  public final void rejected(byte[] privateData) {
    fail(new ProviderException(Reason.REJECTED, 0, name() + ": " + remoteAddress() + " rejected the connection", privateData, null));
  }

  // The end

  @Override
  public final void disconnect() {
    switch (state) {
      case INIT, CONNECTING -> fail(Reason.DISCONNECTED, "disconnected by this side before it was connected");
      case CONNECTED -> {
        state = EndpointState.BROKEN;
        sayGoodbye();
        if (!ended) {
          deadline = queue.deadline(GOODBYE_MILLIS, () -> fail(Reason.DISCONNECTED, "disconnected from " + remoteAddress()
            + " by this side; the peer did not read the goodbye within " + GOODBYE_MILLIS + " ms"));
        }
      }
      default -> {
      }
    }
  }

  /** Sends a goodbye after what was posted, then calls {@link #left}. */
  protected abstract void sayGoodbye();

  /** Reports that the goodbye was sent. */
  protected final void left() {
    fail(Reason.DISCONNECTED, "disconnected from " + remoteAddress() + " by this side");
  }

  @Override
  public final void peerDead(String reason) {
    if (state != EndpointState.CLOSED) {
      fail(Reason.DISCONNECTED, "the peer is dead: " + reason + " (" + remoteAddress() + ")");
    }
  }

  /** Returns the error that ends the connection when the refusal of an operation of the peer has left, a second from now at the latest. */
  protected final ProviderException refusalOf(int status, String reason) {
    ProviderException cause = error(reasonOf(status), reason + " (connection with " + remoteAddress() + ", which ends)");
    deadline = queue.deadline(GOODBYE_MILLIS, () -> fail(cause));
    return cause;
  }

  private static Reason reasonOf(int status) {
    return status == Status.REMOTE_ACCESS ? Reason.PERMISSION : Reason.INVALID;
  }

  /** Fails since the peer refused an operation of this side. */
  protected final void refused(int status) {
    fail(reasonOf(status), remoteAddress() + " refused an operation with " + Status.name(status)
      + (status == Status.LENGTH ? ": the message was longer than its receive"
        : ": the remote key, range or access is wrong, or the region was closed")
      + "; the connection has ended");
  }

  /** Fails since memory was freed, lost its file, or belongs to another thread. @param cause null if a region was closed */
  public final void memoryGone(RuntimeException cause) {
    fail(new ProviderException(Reason.INVALID, name() + ": " + (cause instanceof MemoryFaultException
      ? "the connection with " + remoteAddress() + " has ended: " + cause.getMessage()
      : "memory was freed while the connection with " + remoteAddress()
        + " used it, or belongs to another thread: close regions after their operations have ended"),
      cause));
  }

  /** Fails since this provider threw something that it does not expect, which must not end other connections of the queue. */
  public final void broken(Throwable cause) {
    fail(new ProviderException(Reason.OTHER, name() + ": the connection with " + remoteAddress() + " has ended: " + cause, cause));
  }

  /** Fails since the peer sent something that the protocol does not allow. */
  public final void violated(String what) {
    fail(Reason.OTHER, "the peer sent " + what + " (" + remoteAddress() + "): is it the same version of this provider?");
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

  /** Ends the connection and reports the cause; has no effect if it has ended. */
  public final void fail(ProviderException cause) {
    if (!ended) {
      state = EndpointState.BROKEN;
      failure = cause;
      end(cause.getMessage());
      queue.disconnected(this, handler, cause);
    }
  }

  /** Returns true after the end was reported, or the endpoint was closed: nothing more happens. */
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

  /** Flushes posted operations, gives back a receive that a message has taken, and frees the way to the peer. */
  protected abstract void release(String reason);

  private void cancelDeadline() {
    if (deadline != null) {
      deadline.cancel();
      deadline = null;
    }
  }

  /** Called when a connected endpoint is closed, before {@link #release}. Notifies the peer without waiting. */
  protected void farewell() {
  }

  @Override
  public final void close() {
    if (state == EndpointState.CLOSED) {
      return;
    }
    if (state == EndpointState.CONNECTED) {
      farewell();
    }
    state = EndpointState.CLOSED;
    if (!ended) {
      end("the endpoint was closed");
    }
    undrained = 0;
    queue.remove(this);
    closed();
  }

  /** Called once, when the endpoint was closed. */
  protected void closed() {
  }

  // Properties

  @Override
  public final EndpointState state() {
    return state;
  }

  @Override
  public final ProviderException failure() {
    return failure;
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  @Override
  public EndpointAddress remoteAddress() {
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
    SoftwareDomain<?, ?> domain = queue.owner();
    int status = domain.checkSizes(request, flags, inlineSize);
    if (status != Status.OK) {
      return status;
    }
    return waiting + undrained >= sendDepth ? Status.AGAIN : domain.checkMemory(request, scatterGather, remoteMemory);
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

  // Receives

  /** Completes a receive whose message is in its memory. */
  public final void received(long requestId, long length, boolean hasImmediate, int immediate) {
    if (hasImmediate) {
      queue.completions().add(requestId, Operation.RECEIVE, this, length, Integer.toUnsignedLong(immediate));
    } else {
      queue.completions().add(requestId, Operation.RECEIVE, this, length);
    }
    counters().succeeded(Operation.RECEIVE);
  }

  /** Completes a receive without memory. The message stays in place until the next poll. */
  public final void received(long requestId, MemorySegment memory, long at, int length, boolean hasImmediate, int immediate) {
    if (hasImmediate) {
      queue.completions().add(requestId, this, memory, at, length, Integer.toUnsignedLong(immediate));
    } else {
      queue.completions().add(requestId, this, memory, at, length);
    }
    counters().succeeded(Operation.RECEIVE);
  }

  /** Fails a receive that is shorter than its message. @return the error, for the refusal of the message */
  public final String receiveTooShort(long requestId, long room, long length) {
    String error = "a message of " + length + " bytes came for a receive of " + room;
    queue.completions().fail(requestId, Operation.RECEIVE, this, length, Status.LENGTH, error);
    counters().failed();
    return error;
  }

  /** Gives back the receive of a message of which only a part came. */
  public final void receiveFlushed(long requestId) {
    queue.completions().fail(requestId, Operation.RECEIVE, this, 0, Status.FLUSHED, "the connection ended amid the message");
  }

  /** Reports a write with immediate of the peer; {@link SoftwareQueue#hasRoomForRemoteWrite} was asked before. */
  public final void remoteWritten(long length, int immediate) {
    queue.completions().add(-1, Operation.REMOTE_WRITE, this, length, Integer.toUnsignedLong(immediate));
    counters().succeeded(Operation.REMOTE_WRITE);
  }

  // Completions

  /** Returns whether a waiting completion is dropped, since the endpoint was closed meanwhile. A shared receive always comes back. */
  final boolean silent(Operation operation, long requestId) {
    return state == EndpointState.CLOSED
      && !(receives.shared() && (operation == Operation.RECEIVE || operation == Operation.REMOTE_WRITE && requestId != -1));
  }

  /** Called when a completion was drained. */
  final void drained(Operation operation) {
    if (operation != Operation.RECEIVE && operation != Operation.REMOTE_WRITE) {
      undrained--;
    }
  }
}
