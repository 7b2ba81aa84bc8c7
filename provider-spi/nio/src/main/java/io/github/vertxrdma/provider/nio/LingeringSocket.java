package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.base.Deadline;
import java.io.IOException;

/**
 * Socket of a connection that has ended. It discards input until the peer has closed its side: a close with unread input would reset the
 * connection, and the peer would lose the last frames.
 */
final class LingeringSocket implements SocketHandler {
  private static final long MILLIS = 1000;

  private final NioCompletionQueue queue;
  private final TcpSocket socket;
  private final Deadline deadline;

  LingeringSocket(NioCompletionQueue queue, TcpSocket socket) {
    this.queue = queue;
    this.socket = socket;
    deadline = queue.deadline(MILLIS, this::close);
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
      if (socket.read(queue.staging().clear()) < 0) {
        close();
      }
    } catch (IOException e) {
      close();
    }
  }

  void close() {
    deadline.cancel();
    socket.close();
    queue.lingered(this);
  }
}
