package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.Deadlines;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * The socket of a connection that is over. It sends nothing more and throws away what comes until the peer has closed its side:
 * closing with unread input would reset the connection and take the last frames from the peer.
 */
final class LingeringSocket implements Selectable {
  private static final long MILLIS = 1000;

  private final NioCompletionQueue queue;
  private final SocketChannel channel;
  private final Deadlines.Deadline deadline;

  LingeringSocket(NioCompletionQueue queue, SocketChannel channel, SelectionKey key) {
    this.queue = queue;
    this.channel = channel;
    deadline = queue.deadline(MILLIS, this::close);
    try {
      channel.shutdownOutput();
      queue.interest(key, SelectionKey.OP_READ, SelectionKey.OP_WRITE);
      key.attach(this);
    } catch (IOException | RuntimeException e) {
      Sockets.close(channel);
    }
  }

  @Override
  public void ready(SelectionKey key) {
    ByteBuffer staging = queue.staging();
    try {
      staging.clear();
      if (channel.read(staging) < 0) {
        close();
      }
    } catch (IOException e) {
      close();
    }
  }

  void close() {
    deadline.cancel();
    Sockets.close(channel);
    queue.lingered(this);
  }
}
