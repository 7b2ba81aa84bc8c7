package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;

interface ListenSocket {

  InetSocketAddress localAddress() throws IOException;

  /**
   * Accepts a connection. Returns null if none waits.
   *
   * @throws IOException if the call failed, mostly because the process has no file descriptors left
   */
  TcpSocket accept() throws IOException;

  void interest(int add, int remove);

  void close();
}
