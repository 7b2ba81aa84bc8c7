package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A listening TCP socket. */
interface ListenSocket {

  InetSocketAddress localAddress() throws IOException;

  /**
   * Returns a waiting connection; null if there is none, or many had ended, in which case waiting ones are reported again.
   *
   * @throws IOException if it cannot be accepted now, mostly because there are no descriptors left
   */
  TcpSocket accept() throws IOException;

  /** Changes the events of interest. */
  void interest(int add, int remove);

  /** Idempotent. */
  void close();
}
