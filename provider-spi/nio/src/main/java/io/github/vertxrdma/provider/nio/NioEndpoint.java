package io.github.vertxrdma.provider.nio;

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
import java.nio.channels.SocketChannel;

/** One end of a connection: checks posts and puts them in the send queue; {@link Connection} is its socket. */
final class NioEndpoint implements Endpoint {
  private final NioCompletionQueue queue;
  private final NioReceiveQueue receives;
  private final SendQueue sends;
  private final Connection connection;
  private final Counts counts = new Counts();

  NioEndpoint(NioCompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    this.queue = queue;
    if (options.receiveQueue() == null) {
      int depth = Math.clamp(options.receiveDepth(), 1, queue.domain().limits().receiveDepth());
      receives = new NioReceiveQueue(queue, depth, this);
    } else if (options.receiveQueue() instanceof NioReceiveQueue shared && shared.shared() && shared.queue() == queue) {
      receives = shared;
    } else {
      throw NioDomain.invalid("the receive queue of the endpoint's options is not a shared one of the same completion queue");
    }
    sends = new SendQueue(this, queue.ring(), Math.clamp(options.sendDepth(), 1, NioDevice.MAX_SENDS),
      Math.clamp(options.scatterGather(), 1, NioDevice.SCATTER_GATHER), Math.clamp(options.inlineSize(), 0, NioDevice.MAX_INLINE));
    connection = new Connection(this, queue, receives, sends, options, handler);
  }

  Counts counts() {
    return counts;
  }

  /** Whether receives may be posted on its own queue. */
  boolean receives() {
    EndpointState state = connection.state();
    return state != EndpointState.BROKEN && state != EndpointState.CLOSED;
  }

  /** Whether a completion that waits to be drained is to be dropped, since the endpoint was closed meanwhile. */
  boolean silent(Operation operation) {
    return connection.state() == EndpointState.CLOSED && !(operation == Operation.RECEIVE && receives.shared());
  }

  /** A completion was drained. */
  void drained(Operation operation) {
    if (operation != Operation.RECEIVE && operation != Operation.REMOTE_WRITE) {
      sends.drained();
    }
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
    return receives;
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
    return sends.inlineSize();
  }

  @Override
  public int sendDepth() {
    return sends.depth();
  }

  @Override
  public int readsInFlight() {
    return connection.readsInFlight();
  }

  @Override
  public int outstanding() {
    return sends.outstanding();
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    connection.connect(NioDomain.inet(remote), privateData);
  }

  void accept(SocketChannel channel, int peerReadsInFlight, byte[] privateData) {
    connection.accept(channel, peerReadsInFlight, privateData);
  }

  @Override
  public int postSend(long requestId, MemoryRegion region, long offset, int length, int flags) {
    int status = begin(requestId, Operation.SEND, flags, NioDevice.MAX_MESSAGE, length);
    return status == Status.OK ? finish(element(region, offset, length, flags, false), flags) : status;
  }

  @Override
  public int postSend(long requestId, ScatterGather list, int flags) {
    int status = begin(requestId, Operation.SEND, flags, NioDevice.MAX_MESSAGE, list.total());
    return status == Status.OK ? finish(elements(list, flags), flags) : status;
  }

  @Override
  public int postSendImmediate(long requestId, MemoryRegion region, long offset, int length, long immediate, int flags) {
    int status = begin(requestId, Operation.SEND_IMMEDIATE, flags, NioDevice.MAX_MESSAGE, length);
    if (status != Status.OK) {
      return status;
    }
    if (immediate >>> 32 != 0) {
      return Status.LIMIT;
    }
    sends.operands(immediate, 0);
    return finish(element(region, offset, length, flags, false), flags);
  }

  @Override
  public int postWrite(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = begin(requestId, Operation.WRITE, flags, NioDevice.MAX_TRANSFER, length);
    return status == Status.OK ? write(region, offset, length, remote, remoteOffset, flags) : status;
  }

  @Override
  public int postWrite(long requestId, ScatterGather list, RemoteMemory remote, long remoteOffset, int flags) {
    int status = begin(requestId, Operation.WRITE, flags, NioDevice.MAX_TRANSFER, list.total());
    if (status != Status.OK) {
      return status;
    }
    return finish(elements(list, flags), remote, remoteOffset, list.total(), flags);
  }

  @Override
  public int postWriteImmediate(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset,
    long immediate, int flags) {
    int status = begin(requestId, Operation.WRITE_IMMEDIATE, flags, NioDevice.MAX_TRANSFER, length);
    if (status != Status.OK) {
      return status;
    }
    if (immediate >>> 32 != 0) {
      return Status.LIMIT;
    }
    sends.operands(immediate, 0);
    return write(region, offset, length, remote, remoteOffset, flags);
  }

  @Override
  public int postRead(long requestId, MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    int status = begin(requestId, Operation.READ, flags & ~PostFlags.INLINE, NioDevice.MAX_TRANSFER, length);
    if (status != Status.OK) {
      return status;
    }
    return finish(element(region, offset, length, 0, true), remote, remoteOffset, length, flags);
  }

  @Override
  public int postFetchAdd(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long add, int flags) {
    return postAtomic(requestId, Operation.FETCH_ADD, result, offset, remote, remoteOffset, add, 0, flags);
  }

  @Override
  public int postCompareSwap(long requestId, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset, long expected,
    long swap, int flags) {
    return postAtomic(requestId, Operation.COMPARE_SWAP, result, offset, remote, remoteOffset, expected, swap, flags);
  }

  private int postAtomic(long requestId, Operation operation, MemoryRegion result, long offset, RemoteMemory remote, long remoteOffset,
    long first, long second, int flags) {
    int status = begin(requestId, operation, flags & ~PostFlags.INLINE, Long.BYTES, Long.BYTES);
    if (status != Status.OK) {
      return status;
    }
    sends.operands(first, second);
    status = element(result, offset, Long.BYTES, 0, true);
    if (status == Status.OK && (remoteOffset & Long.BYTES - 1) != 0) {
      status = Status.REMOTE_RANGE;
    }
    return finish(status, remote, remoteOffset, Long.BYTES, flags);
  }

  private int write(MemoryRegion region, long offset, long length, RemoteMemory remote, long remoteOffset, int flags) {
    return finish(element(region, offset, length, flags, false), remote, remoteOffset, length, flags);
  }

  private int begin(long requestId, Operation operation, int flags, long limit, long length) {
    if (connection.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    if (length > limit || (flags & PostFlags.INLINE) != 0 && length > sends.inlineSize()) {
      return Status.LIMIT;
    }
    if (sends.isFull()) {
      return Status.AGAIN;
    }
    sends.begin(requestId, operation, flags);
    return Status.OK;
  }

  private int finish(int status, RemoteMemory memory, long offset, long length, int flags) {
    if (status != Status.OK) {
      return status;
    }
    if (!(memory instanceof NioRemoteMemory remote) || !remote.covers(offset, length)) {
      return Status.REMOTE_RANGE;
    }
    sends.remote(remote, offset);
    return finish(Status.OK, flags);
  }

  private int elements(ScatterGather list, int flags) {
    if (list.size() > sends.elements()) {
      return Status.LIMIT;
    }
    for (int i = 0; i < list.size(); i++) {
      int status = element(list.region(i), list.offset(i), list.length(i), flags, false);
      if (status != Status.OK) {
        return status;
      }
    }
    return Status.OK;
  }

  private int element(MemoryRegion region, long offset, long length, int flags, boolean sink) {
    if (region == null && length == 0) {
      return Status.OK;
    }
    if (!(region instanceof NioMemoryRegion mine) || mine.table != queue.domain().regions() || mine.closed()
      || !mine.covers(offset, length) || sink && !mine.sink()) {
      return Status.LOCAL_RANGE;
    }
    if ((flags & PostFlags.INLINE) != 0) {
      sends.inline(mine, offset, length);
    } else {
      sends.element(mine, offset, length);
    }
    return Status.OK;
  }

  private int finish(int status, int flags) {
    if (status == Status.OK) {
      sends.commit();
      if ((flags & PostFlags.MORE) == 0) {
        connection.pump();
      } else {
        connection.hold();
      }
    }
    return status;
  }

  @Override
  public int flush() {
    if (connection.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    connection.pump();
    return Status.OK;
  }

  @Override
  public Counter counter(Counter.Event event) {
    return counts.counter(event);
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
    connection.close();
    sends.silence();
  }
}
