package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;

interface ListenSocket {

  InetSocketAddress localAddress() throws IOException;

  /**
   * Accepts a connection. Returns null if none waits.
   *
   * @throws IOException mostly because the process has no file descriptors left
   */
  TcpSocket accept() throws IOException;

  void interest(int add, int remove);

  void close();
}
