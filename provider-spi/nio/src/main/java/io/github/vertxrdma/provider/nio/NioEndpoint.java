package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.MemoryFaultException;
import io.github.vertxrdma.base.VersionRange;
import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointHandler;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.EndpointState;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.software.AnswerQueue;
import io.github.vertxrdma.provider.software.SoftwareEndpoint;
import io.github.vertxrdma.provider.software.SoftwareRemoteMemory;
import java.io.IOException;
import java.net.InetSocketAddress;

final class NioEndpoint extends SoftwareEndpoint implements SocketHandler {
  private static final byte[] NOTHING = {};

  final NioSendQueue sends;
  final AnswerQueue responses = new AnswerQueue(this, 2 * NioDevice.READS_IN_FLIGHT);
  private final NioCompletionQueue queue;
  private final NioFrameReader reader;
  private Transmitter transmitter;
  /** Failure of the output, or null. Input may still be read. */
  private Exception outputFailure;
  TcpSocket socket;
  private byte[] connectData;
  /** True if the peer must still receive the bytes in the socket after the end. */
  private boolean lingers;

  NioEndpoint(NioCompletionQueue queue, EndpointOptions options, EndpointHandler handler) {
    super(queue, options, handler);
    this.queue = queue;
    sends = new NioSendQueue(this);
    reader = new NioFrameReader(this, queue);
  }

  @Override
  public void connect(EndpointAddress remote, byte[] privateData) {
    InetSocketAddress inet = NioDomain.inet(remote);
    checkConnect(remote, privateData);
    connectData = privateData.clone();
    connecting(remote);
    try {
      EndpointAddress source = options().source();
      socket = queue.sockets.connect(inet, source == null ? null : NioDomain.inet(source));
      queue.sockets.watch(socket, socket.isConnected() ? READ : WRITE, this);
      if (socket.isConnected()) {
        greet();
      }
    } catch (IOException | RuntimeException e) {
      fail(Sockets.failure("connect to " + remoteAddress(), e));
    }
  }

  private void greet() throws IOException {
    addresses(EndpointAddress.of(socket.localAddress()), remoteAddress());
    transmitter = new Transmitter(this, queue, socket);
    transmitter.handshake(NioFrame.CONNECT, NioFrame.MAGIC, NioFrame.VERSIONS, NioDevice.READS_IN_FLIGHT, connectData);
    connectData = null;
    pump();
  }

  void accept(TcpSocket accepted, EndpointAddress local, EndpointAddress remote, int version, int peerReadsInFlight,
    byte[] privateData) {
    socket = accepted;
    addresses(local, remote);
    try {
      transmitter = new Transmitter(this, queue, socket);
      queue.sockets.watch(socket, READ, this);
      transmitter.handshake(NioFrame.ACCEPT, NioFrame.MAGIC, VersionRange.only(version), NioDevice.READS_IN_FLIGHT, privateData);
      connected(peerReadsInFlight, NOTHING);
      pump();
    } catch (IOException | RuntimeException e) {
      fail(Sockets.failure("accept a connection of " + remote, e));
    }
  }

  void answer(boolean accepted, int peerReadsInFlight, byte[] privateData) {
    if (accepted) {
      connected(peerReadsInFlight, privateData);
    } else {
      rejected(privateData);
    }
  }

  void otherVersions(VersionRange peer) {
    fail(Reason.REFUSED,
      "cannot connect to " + remoteAddress() + ": " + NioFrame.VERSIONS.refusal("the peer", "the protocol of nio", peer));
  }

  @Override
  public int post(WorkRequest request) {
    if (state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    int flags = request.operation().isRead() ? request.flags() & ~PostFlags.INLINE : request.flags();
    int status = check(request, flags, sends.size(), SoftwareRemoteMemory.class);
    if (status == Status.OK) {
      try {
        sends.add(request, flags, inlineSize());
      } catch (MemoryFaultException e) {
        memoryGone(e);
        return Status.FAILED;
      }
      if ((flags & PostFlags.MORE) == 0) {
        pump();
      } else {
        queue.runLater(this);
      }
    }
    return status;
  }

  @Override
  public int flush() {
    if (state() != EndpointState.CONNECTED) {
      return Status.NOT_CONNECTED;
    }
    pump();
    return Status.OK;
  }

  @Override
  protected int waiting() {
    return sends.size();
  }

  @Override
  public void ready(int operations) {
    if (!isEnded()) {
      try {
        carryOn(operations);
      } catch (RuntimeException | Error e) {
        broken(e);
      }
    }
  }

  private void carryOn(int operations) {
    if (transmitter == null) {
      try {
        socket.finishConnect();
        socket.interest(READ, WRITE);
        greet();
      } catch (IOException e) {
        fail(Sockets.failure("connect to " + remoteAddress(), e));
      }
      return;
    }
    if ((operations & WRITE) != 0) {
      socket.interest(0, WRITE);
      transmitter.unblocked();
    }
    if ((operations & READ) != 0 && reading()) {
      read();
    }
    pump();
  }

  private void read() {
    reader.read(outputFailure instanceof IOException);
    if (outputFailure != null && !isEnded() && !mayEndInOrder()) {
      inputFailed(outputFailure);
    }
  }

  /** Returns whether the output failed, but a DISCONNECT frame may follow the messages that wait for receives. */
  private boolean mayEndInOrder() {
    return outputFailure instanceof IOException && reader.mayHaveGoodbye();
  }

  @Override
  protected void run() {
    if (transmitter == null) {
      return;
    }
    if (reader.stalled() && reading()) {
      read();
      if (reading() && !reader.stalled()) {
        resumeReading();
      }
    }
    pump();
  }

  private void resumeReading() {
    try {
      socket.interest(READ, 0);
    } catch (ProviderException e) {
      inputFailed(e);
    }
  }

  void pump() {
    if (!isEnded() && transmitter != null) {
      transmitter.pump();
    }
  }

  boolean reading() {
    return !isEnded() && !isRefusing();
  }

  boolean handshaking() {
    return state() == EndpointState.CONNECTING;
  }

  void pauseReading() {
    socket.interest(0, READ);
  }

  /** Called when the queue of answers to the peer has room again. */
  void answered() {
    if (reader.stalled()) {
      queue.runLater(this);
    }
  }

  void acknowledge(long sequence) {
    transmitter.acknowledge(sequence);
  }

  /** Ends all writes up to this one, which the peer acknowledges. @return false if no such write was sent */
  boolean acknowledged(long sequence) {
    return sends.acknowledge(sequence, transmitter.written());
  }

  @Override
  protected void sendRefusal(long sequence, int status) {
    transmitter.refuse(sequence, status);
    // Otherwise unread bytes would wake the loop repeatedly while the refusal is sent.
    pauseReading();
    abandonInput();
  }

  /** Stops reading. Flushes an unfinished receive, and lets the next endpoint take a free one. */
  private void abandonInput() {
    receiveQueue().forget(this);
    reader.abandon();
  }

  void refused(long sequence, int status) {
    sends.refused(sequence, status);
    refused(status);
  }

  void peerDisconnected() {
    lingers = true;
    fail(Reason.DISCONNECTED, remoteAddress() + " disconnected");
  }

  void inputEnded() {
    if (handshaking()) {
      fail(Reason.REFUSED, remoteAddress() + " closed the connection without a reply: its listener was closed, or does not belong "
        + "to the provider nio");
    } else {
      // The cause is unknown: a read without errno may have consumed it.
      fail(Reason.DISCONNECTED, "the connection with " + remoteAddress() + " was lost: the peer's process or the network has failed");
    }
  }

  void inputFailed(Exception cause) {
    fail(new ProviderException(Reason.DISCONNECTED, "nio: the connection with " + remoteAddress() + " was lost: " + cause.getMessage(),
      cause));
  }

  /** Called when the output failed. Messages that the peer sent before are still read. */
  void outputFailed(Exception cause) {
    if (isRefusing()) {
      inputFailed(cause);
      return;
    }
    outputFailure = cause;
    read();
  }

  void outputEnded() {
    lingers = true;
    if (isRefusing()) {
      refusalSent();
    } else {
      disconnectSent();
    }
  }

  @Override
  protected void sendDisconnect() {
    transmitter.disconnect();
    pump();
  }

  @Override
  protected void trySendDisconnect() {
    lingers = transmitter.trySendDisconnect();
  }

  @Override
  protected void release(String reason) {
    if (socket != null) {
      if (lingers) {
        queue.linger(socket);
      } else {
        socket.close();
      }
    }
    if (transmitter != null) {
      sends.endSends(transmitter.written());
    }
    sends.flush(reason);
    abandonInput();
    if (transmitter != null) {
      transmitter.releaseBuffer();
    }
  }
}
