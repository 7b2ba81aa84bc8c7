package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.WaitSet;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Sockets of one completion queue. A poll calls the handlers of ready sockets. */
interface SocketSet extends WaitSet {

  /** @param source local address to connect from; null for any */
  TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException;

  ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) throws IOException;

  /** Lets polls call the handler when the socket is ready. {@linkplain TcpSocket#unwatch Unwatch} a socket of another set before. */
  void watch(TcpSocket socket, int operations, SocketHandler handler) throws IOException;

  /** @param hasOthers whether the batch already has completions */
  void poll(boolean hasOthers);

  default void sweep() {
  }
}
