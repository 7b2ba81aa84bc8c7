package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;

interface ListenSocket {

  InetSocketAddress localAddress() throws IOException;

  /**
   * Returns a waiting connection, or null.
   *
   * @throws IOException if none can be accepted now, mostly because there are no descriptors left
   */
  TcpSocket accept() throws IOException;

  void interest(int add, int remove);

  void close();
}
