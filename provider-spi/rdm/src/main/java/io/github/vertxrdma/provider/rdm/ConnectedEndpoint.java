package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointCounters;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;

/**
 * One end of a connection on a shared raw endpoint: fills the prefix, names the peer, and keeps account of what the fabric owns.
 * Every operation is signalled below, so that its end is known; unsignalled ones are not told. Only inline sends that the fabric takes
 * silently are done when they are posted.
 */
final class ConnectedEndpoint implements Endpoint {
  private final ConnectedQueue queue;
  private final EndpointOptions options;
  private final RdmConnection connection;
  private final EndpointCounters counters = new EndpointCounters();
  private final int sendDepth;
  private int outstanding;
  private int oneSided;

  ConnectedEndpoint(ConnectedQueue queue, EndpointOptions options, EndpointHandler handler) {
    this.queue = queue;
    this.options = options;
    connection = new RdmConnection(queue, this, handler);
    sendDepth = Math.clamp(options.sendDepth(), 1, queue.domain().limits().sendDepth());
  }

  RdmConnection connection() {
    return connection;
  }

  EndpointCounters counters() {
    return counters;
  }

  @Override
  public EndpointState state() {
    return connection.state();
  }

  @Override
  public ProviderException failure() {
    return connection.failure();
  }

  @Override
  public CompletionQueue completionQueue() {
    return queue;
  }

  @Override
  public ReceiveQueue receiveQueue() {
    return options.receiveQueue();
  }

  @Override
  public EndpointAddress localAddress() {
    return connection.localAddress();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return connection.remoteAddress();
  }

  @Override
  public int inlineSize() {
    return queue.shared() == null ? 0 : queue.shared().raw().inlineSize();
  }

  @Override
  public int sendDepth() {
    return sendDepth;
  }

  @Override
  public int readsInFlight() {
    return queue.domain().limits().readsInFlight();
  }

  @Override
  public int outstanding() {
    return outstanding;
  }

  /** The outstanding operations whose target does not see them. */
  int oneSided() {
    return oneSided;
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    connection.connect(remote, options.connectTimeoutMillis(), privateData);
  }

  // Posting

  /** Changes the request for the raw endpoint while it is posted there: an id and an immediate of the layer's, and always signalled. */
  @Override
  public int post(WorkRequest request) {
    int status = check(request);
    if (status != Status.OK) {
      return status;
    }
    Operation operation = request.operation();
    long id = request.id();
    int flags = request.flags();
    SharedEndpoint shared = connection.shared();
    if (operation == Operation.SEND && shared.silent() && PostFlags.silent(flags)) {
      status = shared.raw().post(connection.peer().handle(), request.id(SendTable.silent(connection.tag())));
      request.id(id);
      return status == Status.OK ? sent() : refused(status, Operation.SEND);
    }
    boolean tagged = operation == Operation.WRITE_IMMEDIATE;
    long immediate = request.immediate();
    if (tagged) {
      request.immediate(ImmediateTag.join(connection.remoteTag(), immediate, queue.userBits()));
    }
    status = shared.raw().post(connection.peer().handle(), request.id(shared.sends().next()).flags(flags | PostFlags.SIGNALED));
    request.id(id).flags(flags);
    if (tagged) {
      request.immediate(immediate);
    }
    return status == Status.OK ? taken(request) : refused(status, operation);
  }

  private int check(WorkRequest request) {
    if (connection.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    if (outstanding >= sendDepth || !connection.shared().room()) {
      return Status.AGAIN;
    }
    Operation operation = request.operation();
    if (operation.hasImmediate()) {
      int bits = queue.userBits();
      if (bits == 0 || request.immediate() >>> bits != 0) {
        return bits == 0 ? Status.UNSUPPORTED : Status.LIMIT;
      }
    }
    return operation.isOneSided() ? Status.OK : prefix(request);
  }

  /** Writes the prefix of a message at its start. */
  private int prefix(WorkRequest request) {
    ScatterGather list = request.list();
    if (list == null) {
      return prefix(request.region(), request.offset(), request.length());
    }
    return list.size() == 0 ? Status.LIMIT : prefix(list.region(0), list.offset(0), list.length(0));
  }

  private int prefix(MemoryRegion region, long offset, long length) {
    if (region == null || !region.covers(offset, length) || region.segment().isReadOnly()) {
      return Status.LOCAL_RANGE;
    }
    if (length < RdmLayer.PREFIX) {
      return Status.LIMIT;
    }
    ControlMessage.prefix(region.segment(), offset, connection.remoteId(), connection.nextSequence);
    return Status.OK;
  }

  /** A send that is done. */
  private int sent() {
    counters.succeeded(Operation.SEND);
    connection.nextSequence++;
    return Status.OK;
  }

  private int taken(WorkRequest request) {
    Operation operation = request.operation();
    connection.shared().sends().take(this, request.id(), operation, (request.flags() & PostFlags.SIGNALED) != 0);
    outstanding++;
    if (operation.isOneSided()) {
      oneSided++;
    } else {
      connection.nextSequence++;
    }
    return Status.OK;
  }

  private int refused(int status, Operation operation) {
    if (status == Status.FAILED) {
      connection.failure(new ProviderException(ProviderException.Reason.OTHER, queue.domain().name() + ": posting a "
        + operation + " to " + connection.remoteAddress() + " failed"));
    }
    return status;
  }

  @Override
  public int flush() {
    return connection.state() == EndpointState.CONNECTED ? connection.shared().raw().flush() : Status.NOT_CONNECTED;
  }

  // What becomes of them.

  /** The fabric gave an operation back with an error, which ends the connection as it does on connected fabrics. */
  void failed(CompletionBatch batch, int i) {
    counters.failed();
    int status = batch.status(i);
    String error = batch.error(i);
    if (connection.state() != EndpointState.CONNECTED) {
      batch.error(i, Status.FLUSHED, error);
      return;
    }
    connection.fail(new ProviderException(
      status == Status.REMOTE_ACCESS ? ProviderException.Reason.PERMISSION : ProviderException.Reason.OTHER, queue.domain().name()
        + ": an operation with " + connection.remoteAddress() + " ended with " + Status.name(status)
        + (error == null ? "" : " (" + error + ")") + "; the connection is over"), true);
  }

  /** The fabric gave an operation back. */
  void completed(Operation operation) {
    outstanding--;
    oneSided -= operation.isOneSided() ? 1 : 0;
    connection.completed(operation.isOneSided());
  }

  @Override
  public Counter counter(Counter.Event event) {
    return counters.counter(event);
  }

  @Override
  public void disconnect() {
    connection.disconnect();
  }

  @Override
  public void peerDead(String reason) {
    connection.peerDead(reason);
  }

  @Override
  public void close() {
    if (connection.state() != EndpointState.CLOSED) {
      connection.close();
      queue.forget(this);
    }
  }
}
