package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.WaitSet;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Sockets of one completion queue. A poll handles ready sockets, and the owner can wait for all of them. */
interface SocketSet extends WaitSet {

  /** @param source the local address to connect from, null for any */
  TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException;

  ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) throws IOException;

  /** Calls the handler when the socket is ready. A socket of another set must be {@linkplain TcpSocket#unwatch unwatched} before. */
  void watch(TcpSocket socket, int operations, SocketHandler handler) throws IOException;

  /** @param hasOthers whether this poll has something else to report */
  void poll(boolean hasOthers);

  /**
   * @param millis time until the next deadline, 0 if there is none
   * @return false if a socket is ready
   */
  boolean arm(long millis);

  void sweep();
}
