package io.github.vertxrdma.provider.nio;

/** Handler that polls call when a watched socket is ready. */
interface SocketHandler {
  /** Bit: the socket has bytes to read, a connection to accept, or has ended. */
  int READ = 1;
  /** Bit: the socket accepts output, or its connect has finished or failed. */
  int WRITE = 2;

  void ready(int operations);
}
