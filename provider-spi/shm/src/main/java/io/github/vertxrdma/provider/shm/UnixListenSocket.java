package io.github.vertxrdma.provider.shm;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.ffi.Errno;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.SocketCalls;

/**
 * Listening Unix socket.
 *
 * @param passesRights whether peers may send descriptors before a connection is accepted
 */
record UnixListenSocket(int fd, boolean passesRights) {

  /**
   * Binds a socket and listens.
   *
   * @throws ProviderException {@code ADDRESS_IN_USE} if the file exists, with or without a listener
   */
  static UnixListenSocket listen(String path, int backlog) {
    int fd = SystemCalls.socket();
    try {
      int errno = SystemCalls.bind(fd, path);
      if (errno != 0) {
        throw new ProviderException(errno == Errno.EADDRINUSE ? Reason.ADDRESS_IN_USE : Reason.OTHER, errno, "shm: cannot listen on "
          + path
          + ": " + (errno == Errno.EADDRINUSE ? "another process listens there" : Errno.describe(errno)));
      }
      // Forbids peers to send descriptors before the connection is accepted.
      boolean passesRights = !SystemCalls.passRights(fd, false);
      SystemCalls.listen(fd, backlog);
      return new UnixListenSocket(fd, passesRights);
    } catch (ProviderException e) {
      FileDescriptor.close(fd);
      throw e;
    }
  }

  /** Returns the next connected socket, or null. */
  DescriptorSocket accept() {
    int accepted = SocketCalls.accept(fd);
    if (accepted >= 0) {
      return new DescriptorSocket(accepted, passesRights);
    }
    if (accepted == -Errno.EAGAIN || accepted == -Errno.EINTR || accepted == -Errno.ECONNABORTED) {
      return null;
    }
    throw new ProviderException(Reason.LIMIT, -accepted, "shm: cannot accept a connection: " + Errno.describe(-accepted)
      + (accepted == -Errno.EMFILE ? ". Raise the limit with 'ulimit -n'" : ""));
  }

  /** Closes the connections in the backlog, whose unread messages may have descriptors, and then the socket. */
  void close() {
    SystemCalls.shutdown(fd);
    int waiting = SocketCalls.accept(fd);
    while (waiting >= 0) {
      new DescriptorSocket(waiting, passesRights).close();
      waiting = SocketCalls.accept(fd);
    }
    if (waiting == -Errno.EMFILE || waiting == -Errno.ENFILE) {
      // Connections may be left in the backlog, so the close can block.
      StrayDescriptors.close(fd, SystemCalls.userId());
    } else {
      FileDescriptor.close(fd);
    }
  }
}
