package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.Operation;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;

/** One end of a connection: checks posts and puts them in the send queue; {@link Connection} is its socket. */
final class NioEndpoint extends SoftwareEndpoint {
  private final NioCompletionQueue queue;
  private final SendQueue sends;
  private final Connection connection;

  NioEndpoint(NioCompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue, options);
    this.queue = queue;
    sends = new SendQueue(this, queue);
    connection = new Connection(this, queue, receiveQueue(), sends, options, handler);
  }

  @Override
  protected int waiting() {
    return sends.size();
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
  public int readsInFlight() {
    return connection.readsInFlight();
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
    int status = check(request, flags, sends.size(), SoftwareRemoteMemory.class);
    if (status == Status.OK) {
      sends.begin().set(request, flags);
      sends.commit();
      if ((flags & PostFlags.MORE) == 0) {
        connection.pump();
      } else {
        queue.run(connection);
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
    silence();
  }
}
