package io.github.vertxrdma.provider.nio;

/** Handler that a poll calls when a watched socket is ready. */
interface SocketHandler {
  /** The socket has bytes to read, a connection to accept, or has ended. */
  int READ = 1;
  /** The socket accepts output, or its connect has finished or failed. */
  int WRITE = 2;

  void ready(int operations);
}
