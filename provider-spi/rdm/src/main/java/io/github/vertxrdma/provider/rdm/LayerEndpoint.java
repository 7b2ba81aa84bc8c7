package io.github.vertxrdma.provider.rdm;

import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.CompletionQueue;
import io.github.vertxrdma.provider.Counter;
import io.github.vertxrdma.provider.Endpoint;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ReceiveQueue;
import io.github.vertxrdma.provider.RemoteMemory;
import io.github.vertxrdma.provider.ScatterGather;
import io.github.vertxrdma.provider.Status;

/**
 * One end of a connection on a shared raw endpoint: fills the prefix, names the peer, and keeps account of what the fabric owns.
 * Every operation is signalled below, so that its end is known; unsignalled ones are not told. Only inline sends that the fabric takes
 * silently are done when they are posted.
 */
final class LayerEndpoint implements Endpoint {
  private final LayerQueue queue;
  private final EndpointOptions options;
  private final Link link;
  private final Counts counts = new Counts();
  private final int sendDepth;
  private int outstanding;
  private int oneSided;

  LayerEndpoint(LayerQueue queue, EndpointOptions options, EndpointHandler handler) {
    this.queue = queue;
    this.options = options;
    link = new Link(queue, this, handler);
    sendDepth = Math.clamp(options.sendDepth(), 1, queue.domain().limits().sendDepth());
  }

  Link link() {
    return link;
  }

  Counts counts() {
    return counts;
  }

  @Override
  public EndpointState state() {
    return link.state();
  }

  @Override
  public ProviderException failure() {
    return link.failure();
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
    return link.localAddress();
  }

  @Override
  public EndpointAddress remoteAddress() {
    return link.remoteAddress();
  }

  @Override
  public int inlineSize() {
    return queue.mux() == null ? 0 : queue.mux().raw().inlineSize();
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

  private static boolean twoSided(Operation operation) {
    return operation == Operation.SEND || operation == Operation.SEND_IMMEDIATE;
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    link.connect(remote, options.connectTimeoutMillis(), privateData);
  }

  // Posts. Each asks whether it may, posts to the peer, and notes what the fabric took.

  private int ready() {
    if (link.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    return outstanding < sendDepth && link.mux().room() ? Status.OK : Status.AGAIN;
  }

  private int posted(int status, long requestId, Operation operation, int flags) {
    if (status == Status.OK) {
      link.mux().sends().take(this, requestId, operation, (flags & PostFlags.SIGNALED) != 0);
      outstanding++;
      if (twoSided(operation)) {
        link.nextSequence++;
      } else {
        oneSided++;
      }
    } else {
      refused(status, operation);
    }
    return status;
  }

  private int sent(int status) {
    if (status == Status.OK) {
      counts.add(Operation.SEND);
      link.nextSequence++;
    } else {
      refused(status, Operation.SEND);
    }
    return status;
  }

  private void refused(int status, Operation operation) {
    if (status == Status.FAILED) {
      link.failure(new ProviderException(ProviderException.Reason.OTHER, queue.domain().name() + ": posting a "
        + operation + " to " + link.remoteAddress() + " failed"));
    }
  }

  /** Writes the prefix of a message at the start of its range. */
  private int prefix(MemoryRegion region, long offset, long length) {
    if (offset < 0 || length < 0 || offset > region.size() - length || region.segment().isReadOnly()) {
      return Status.LOCAL_RANGE;
    }
    if (length < RdmLayer.PREFIX) {
      return Status.LIMIT;
    }
    ControlMessage.prefix(region.segment(), offset, link.remoteId(), link.nextSequence);
    return Status.OK;
  }

  @Override
  public int postSend(long requestId, MemoryRegion region, long offset, int length, int flags) {
    int status = ready();
    if (status == Status.OK) {
      status = prefix(region, offset, length);
    }
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    if (mux.silent() && PostFlags.silent(flags)) {
      return sent(mux.raw().postSend(SendTable.silent(link.tag()), link.peer().handle(), region, offset, length, flags));
    }
    status = mux.raw().postSend(mux.sends().next(), link.peer().handle(), region, offset, length, flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.SEND, flags);
  }

  @Override
  public int postSend(long requestId, ScatterGather list, int flags) {
    int status = ready();
    if (status == Status.OK) {
      status = list.size() == 0 ? Status.LIMIT : prefix(list.region(0), list.offset(0), list.length(0));
    }
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postSend(mux.sends().next(), link.peer().handle(), list, flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.SEND, flags);
  }

  @Override
  public int postSendImmediate(long requestId, MemoryRegion region, long offset, int length, long immediate, int flags) {
    int status = ready();
    if (status == Status.OK) {
      status = checkImmediate(immediate);
    }
    if (status == Status.OK) {
      status = prefix(region, offset, length);
    }
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postSendImmediate(mux.sends().next(), link.peer().handle(), region, offset, length, immediate,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.SEND_IMMEDIATE, flags);
  }

  private int checkImmediate(long immediate) {
    int bits = queue.userBits();
    return bits == 0 ? Status.UNSUPPORTED : immediate >>> bits != 0 ? Status.LIMIT : Status.OK;
  }

  @Override
  public int postWrite(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = ready();
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postWrite(mux.sends().next(), link.peer().handle(), region, offset, length, remote, remoteOffset,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.WRITE, flags);
  }

  @Override
  public int postWrite(long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    int status = ready();
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postWrite(mux.sends().next(), link.peer().handle(), list, remote, remoteOffset, flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.WRITE, flags);
  }

  @Override
  public int postWriteImmediate(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags) {
    int status = ready();
    if (status == Status.OK) {
      status = checkImmediate(immediate);
    }
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    long tagged = ImmediateTag.join(link.remoteTag(), immediate, queue.userBits());
    status = mux.raw().postWriteImmediate(mux.sends().next(), link.peer().handle(), region, offset, length, remote, remoteOffset, tagged,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.WRITE_IMMEDIATE, flags);
  }

  @Override
  public int postRead(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = ready();
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postRead(mux.sends().next(), link.peer().handle(), region, offset, length, remote, remoteOffset,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.READ, flags);
  }

  @Override
  public int postFetchAdd(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add, int flags) {
    int status = ready();
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postFetchAdd(mux.sends().next(), link.peer().handle(), result, offset, remote, remoteOffset, add,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.FETCH_ADD, flags);
  }

  @Override
  public int postCompareSwap(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected,
    long swap, int flags) {
    int status = ready();
    if (status != Status.OK) {
      return status;
    }
    Multiplexer mux = link.mux();
    status = mux.raw().postCompareSwap(mux.sends().next(), link.peer().handle(), result, offset, remote, remoteOffset, expected, swap,
      flags | PostFlags.SIGNALED);
    return posted(status, requestId, Operation.COMPARE_SWAP, flags);
  }

  @Override
  public int flush() {
    return link.state() == EndpointState.CONNECTED ? link.mux().raw().flush() : Status.NOT_CONNECTED;
  }

  // What becomes of them.

  /** The fabric gave an operation back with an error, which ends the connection as it does on connected fabrics. */
  void failed(CompletionBatch batch, int i) {
    counts.add(Counter.Event.ERRORS);
    int status = batch.status(i);
    String error = batch.error(i);
    if (link.state() != EndpointState.CONNECTED) {
      batch.error(i, Status.FLUSHED, error);
      return;
    }
    link.fail(new ProviderException(status == Status.REMOTE_ACCESS ? ProviderException.Reason.PERMISSION : ProviderException.Reason.OTHER,
      queue.domain().name() + ": an operation with " + link.remoteAddress() + " ended with " + Status.name(status)
        + (error == null ? "" : " (" + error + ")") + "; the connection is over"), true);
  }

  /** The fabric gave an operation back. */
  void completed(Operation operation) {
    boolean wasOneSided = !twoSided(operation);
    outstanding--;
    oneSided -= wasOneSided ? 1 : 0;
    link.completed(wasOneSided);
  }

  @Override
  public Counter counter(Counter.Event event) {
    return counts.counter(event);
  }

  @Override
  public void disconnect() {
    link.disconnect();
  }

  @Override
  public void peerDead(String reason) {
    link.peerDead(reason);
  }

  @Override
  public void close() {
    if (link.state() != EndpointState.CLOSED) {
      link.close();
      queue.forget(this);
    }
  }
}
