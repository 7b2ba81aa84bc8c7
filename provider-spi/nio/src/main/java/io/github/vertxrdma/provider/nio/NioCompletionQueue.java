package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.Deadline;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.software.SoftwareQueue;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

final class NioCompletionQueue extends SoftwareQueue {
  private static final int STAGING = 64 * 1024;

  final SocketSet sockets;
  private final SocketBuffer staging = new SocketBuffer(STAGING);
  final SocketBuffer.Pool stashes = new SocketBuffer.Pool(STAGING);
  final SocketBuffer.Pool outputs = new SocketBuffer.Pool(Transmitter.BUFFER);
  private final ArrayDeque<NioEndpoint> awaitingRoom = new ArrayDeque<>();
  private final List<LingeringSocket> lingering = new ArrayList<>();

  NioCompletionQueue(NioDomain domain, int capacity, SocketSet sockets) {
    super(domain, capacity, sockets);
    this.sockets = sockets;
  }

  /** Returns the input buffer that all endpoints use, for one read at a time. */
  SocketBuffer staging() {
    return staging;
  }

  @Override
  public void remove(AutoCloseable child) {
    super.remove(child);
    sockets.sweep();
  }

  @Override
  protected void progress(CompletionBatch batch) {
    sockets.poll(batch.size() > 0);
    runEndpoints();
  }

  @Override
  protected void pollEnds() {
    while (!awaitingRoom.isEmpty() && hasRoomForRemoteWrite()) {
      runLater(awaitingRoom.poll());
    }
  }

  /** Returns whether the completion of a remote write has room. Otherwise a later poll runs the endpoint again. */
  boolean roomForRemoteWrite(NioEndpoint endpoint) {
    if (hasRoomForRemoteWrite()) {
      return true;
    }
    if (!awaitingRoom.contains(endpoint)) {
      awaitingRoom.add(endpoint);
    }
    return false;
  }

  /** Keeps the socket of an ended connection for at most a second, so that the peer receives the last frames. */
  void linger(TcpSocket socket) {
    lingering.add(new LingeringSocket(socket));
  }

  @Override
  protected void released() {
    List.copyOf(lingering).forEach(LingeringSocket::close);
  }

  /**
   * Socket of an ended connection. Discards input until the peer closes its side. A close with unread input would reset the connection, and
   * the peer would lose the last frames.
   */
  private final class LingeringSocket implements SocketHandler {
    private static final long MILLIS = 1000;

    private final TcpSocket socket;
    private final Deadline deadline;

    LingeringSocket(TcpSocket socket) {
      this.socket = socket;
      deadline = deadline(MILLIS, this::close);
      try {
        socket.shutdownOutput();
        socket.handler(this);
        socket.interest(READ, WRITE);
      } catch (IOException | RuntimeException e) {
        socket.close();
      }
    }

    @Override
    public void ready(int operations) {
      try {
        if (socket.read(staging.clear()) < 0) {
          close();
        }
      } catch (IOException e) {
        close();
      }
    }

    void close() {
      deadline.cancel();
      socket.close();
      lingering.remove(this);
    }
  }
}
