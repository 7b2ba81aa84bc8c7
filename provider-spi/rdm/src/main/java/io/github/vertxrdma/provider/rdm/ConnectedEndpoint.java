package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.AbstractEndpoint;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * One end of a connection. All connections of a completion queue share its {@link RdmEndpoint}. Operations are posted there as signalled,
 * except inline sends that are done when the post returns ({@link RdmEndpoint#sendsSilently}).
 */
final class ConnectedEndpoint extends AbstractEndpoint {
  private final ConnectedQueue queue;
  private final EndpointOptions options;
  final RdmConnection connection;
  private final int sendDepth;
  private int outstanding;
  /** Number of outstanding reads, writes and atomics. */
  int oneSided;
  /** First and last operation that {@link CompletionOrder} delays, and the number of its completions that are ready to report. */
  int oldest = CompletionOrder.NONE;
  int newest = CompletionOrder.NONE;
  int ready;
  /** True if {@link CompletionOrder} no longer delays completions. */
  boolean unordered;

  ConnectedEndpoint(ConnectedQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue);
    this.queue = queue;
    this.options = options;
    connection = new RdmConnection(queue, this, handler, options.receiveDepth());
    sendDepth = Math.clamp(options.sendDepth(), 1, queue.domain.limits().sendDepth());
  }

  @Override
  public EndpointState state() {
    return connection.state.state;
  }

  @Override
  public ProviderException failure() {
    return connection.failure;
  }

  @Override
  public ReceiveQueue receiveQueue() {
    return options.receiveQueue();
  }

  @Override
  public EndpointAddress localAddress() {
    SharedEndpoint open = queue.endpoints.current;
    return open == null ? null : open.address();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return connection.remote;
  }

  @Override
  public int inlineSize() {
    SharedEndpoint open = queue.endpoints.current;
    return open == null ? 0 : open.raw.inlineSize();
  }

  @Override
  public int sendDepth() {
    return sendDepth;
  }

  @Override
  public int readsInFlight() {
    return queue.domain.limits().readsInFlight();
  }

  @Override
  public int outstanding() {
    return outstanding;
  }

  @Override
  public void granted(int receives) {
    connection.granted = receives;
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    connection.connect(remote, options.connectTimeoutMillis(), privateData);
  }

  /** Posts the request with other id and flags, then restores those of the caller. */
  @Override
  public int post(WorkRequest request) {
    RdmConnection to = connection;
    if (to.state != RdmConnectionState.ESTABLISHED) {
      return Status.NOT_CONNECTED;
    }
    SharedEndpoint shared = to.shared;
    if (outstanding >= sendDepth || !shared.room()) {
      return Status.AGAIN;
    }
    Operation operation = request.operation();
    int status = operation.hasImmediate() ? Status.UNSUPPORTED : operation.isOneSided() ? Status.OK : prefix(request);
    if (status != Status.OK) {
      return status;
    }
    long id = request.id();
    int flags = request.flags();
    // The fence is not passed on: the shared endpoint would wait for the reads of all connections.
    int unfenced = flags & ~PostFlags.FENCE;
    if (unfenced != flags && oneSided > 0) {
      return Status.AGAIN;
    }
    if (operation == Operation.SEND && PostFlags.silent(flags) && shared.silent) {
      status = shared.raw.post(to.peer.handle, request.id(SendTable.silent(to.tag)).flags(unfenced));
      request.id(id).flags(flags);
      if (status == Status.OK) {
        to.nextSequence++;
        return status;
      }
      return refused(status, operation);
    }
    status = shared.raw.post(to.peer.handle, request.id(shared.sends.next()).flags(unfenced | PostFlags.SIGNALED));
    request.id(id).flags(flags);
    if (status != Status.OK) {
      return refused(status, operation);
    }
    int index = shared.sends.take(this, id, operation, (flags & PostFlags.SIGNALED) != 0);
    shared.order.posted(this, index, flags);
    outstanding++;
    if (operation.isOneSided()) {
      oneSided++;
    } else {
      to.nextSequence++;
    }
    return Status.OK;
  }

  private int prefix(WorkRequest request) {
    if (request.pieces() == 0) {
      return Status.LIMIT;
    }
    MemoryRegion region = request.pieceRegion(0);
    if (region == null || !region.covers(request.pieceOffset(0), request.pieceLength(0))) {
      return Status.LOCAL_RANGE;
    }
    if (request.pieceLength(0) < RdmLayer.PREFIX) {
      return Status.LIMIT;
    }
    return ControlMessage.prefix(region.segment(), request.pieceOffset(0), connection.remoteId,
      ControlMessage.dataWord(connection.version, connection.remoteTag, connection.nextSequence)) ? Status.OK : Status.LOCAL_RANGE;
  }

  private int refused(int status, Operation operation) {
    if (status == Status.FAILED) {
      connection.failure = new ProviderException(ProviderException.Reason.OTHER, queue.domain.name() + ": posting a "
        + operation + " to " + connection.remote + " failed");
    }
    return status;
  }

  @Override
  public int flush() {
    return connection.state == RdmConnectionState.ESTABLISHED ? connection.shared.raw.flush() : Status.NOT_CONNECTED;
  }

  /** Ends the connection after a failed operation, as connected fabrics do. */
  void failed(CompletionBatch batch, int i) {
    int status = batch.status(i);
    String error = batch.error(i);
    if (connection.state != RdmConnectionState.ESTABLISHED) {
      batch.error(i, Status.FLUSHED, error);
      return;
    }
    connection.fail(status == Status.REMOTE_ACCESS ? ProviderException.Reason.PERMISSION : ProviderException.Reason.OTHER,
      ": an operation with it ended with " + Status.name(status) + (error == null ? "" : " (" + error + ")") + "; the connection is "
        + "closed",
      true);
  }

  void completed(Operation operation) {
    outstanding--;
    oneSided -= operation.isOneSided() ? 1 : 0;
    connection.completed(operation.isOneSided());
  }

  @Override
  public void disconnect() {
    connection.fail(new ProviderException(ProviderException.Reason.DISCONNECTED, queue.domain.name() + ": disconnected by this side"),
      true);
  }

  @Override
  public void peerDead(String reason) {
    connection.peerEnded(" is dead: " + reason);
  }

  @Override
  public void close() {
    if (connection.state != RdmConnectionState.CLOSED) {
      connection.close();
      queue.users.remove(this);
    }
  }
}
