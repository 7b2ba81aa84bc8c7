package io.github.vertxrdma.provider.nio;

/** Called in a poll when a watched socket is ready. */
interface SocketHandler {
  /** There are bytes to read, a connection to accept, or an end. */
  int READ = 1;
  /** The socket accepts output, or its connect has ended. */
  int WRITE = 2;

  void ready(int operations);
}
