package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;

/** One end of a connection: checks posts and puts them in the send queue; {@link Connection} is its socket. */
final class NioEndpoint extends SoftwareEndpoint {
  private final NioCompletionQueue queue;
  private final SendQueue sends;
  private final Connection connection;

  NioEndpoint(NioCompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue, options);
    this.queue = queue;
    sends = new SendQueue(this, queue, Math.clamp(options.sendDepth(), 1, NioDevice.MAX_SENDS),
      Math.clamp(options.scatterGather(), 1, NioDevice.SCATTER_GATHER), Math.clamp(options.inlineSize(), 0, NioDevice.MAX_INLINE));
    connection = new Connection(this, queue, receiveQueue(), sends, options, handler);
  }

  @Override
  protected void sendDrained() {
    sends.drained();
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
    connection.connect(remote, privateData);
  }

  void accept(TcpSocket socket, EndpointAddress local, EndpointAddress remote, int peerReadsInFlight, byte[] privateData) {
    connection.accept(socket, local, remote, peerReadsInFlight, privateData);
  }

  @Override
  public int post(WorkRequest request) {
    if (connection.state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    Operation operation = request.operation();
    int flags = operation.isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    long length = request.length();
    if (length > (operation.isOneSided() ? NioDevice.MAX_TRANSFER : NioDevice.MAX_MESSAGE)
      || (flags & PostFlags.INLINE) != 0 && length > sends.inlineSize()
      || operation.hasImmediate() && request.immediate() >>> 32 != 0) {
      return Status.LIMIT;
    }
    if (sends.isFull()) {
      return Status.AGAIN;
    }
    PostedOperation posted = sends.begin();
    posted.begin(request, flags);
    int status = local(posted, request, flags);
    if (status == Status.OK && operation.isOneSided()) {
      status = remote(posted, request);
    }
    if (status == Status.OK) {
      sends.commit();
      if ((flags & PostFlags.MORE) == 0) {
        connection.pump();
      } else {
        queue.run(connection);
      }
    }
    return status;
  }

  private int local(PostedOperation posted, WorkRequest request, int flags) {
    if (request.pieces() > sends.elements()) {
      return Status.LIMIT;
    }
    for (int i = 0; i < request.pieces(); i++) {
      int status = element(posted, request.pieceRegion(i), request.pieceOffset(i), request.pieceLength(i), flags,
        request.operation().isRead());
      if (status != Status.OK) {
        return status;
      }
    }
    return Status.OK;
  }

  private int element(PostedOperation posted, MemoryRegion region, long offset, long length, int flags, boolean sink) {
    if (region == null && length == 0) {
      return Status.OK;
    }
    if (!(region instanceof SoftwareRegion mine) || !mine.usable(queue.domain().regions(), offset, length, sink)) {
      return Status.LOCAL_RANGE;
    }
    if ((flags & PostFlags.INLINE) != 0) {
      posted.inline(mine, offset, length);
    } else {
      posted.element(mine, offset, length);
    }
    return Status.OK;
  }

  private int remote(PostedOperation posted, WorkRequest request) {
    long offset = request.remoteOffset();
    if (!(request.remote() instanceof SoftwareRemoteMemory memory) || !memory.covers(offset, request.length())
      || request.operation().isAtomic() && (offset & Long.BYTES - 1) != 0) {
      return Status.REMOTE_RANGE;
    }
    posted.remote(memory, offset);
    return Status.OK;
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
