package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A listening TCP socket. */
interface ListenSocket {

  InetSocketAddress localAddress() throws IOException;

  /**
   * A connection that waits; null if none does, or many were gone and whoever waits is told of again.
   *
   * @throws IOException if it cannot be had now: there are no descriptors left, mostly
   */
  TcpSocket accept() throws IOException;

  /** Changes what it is watched for. */
  void interest(int add, int remove);

  /** Idempotent. */
  void close();
}
