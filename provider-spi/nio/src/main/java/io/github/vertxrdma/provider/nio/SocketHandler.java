package io.github.vertxrdma.provider.nio;

/** Told in a poll that a watched socket is ready. */
interface SocketHandler {
  /** There are bytes to read, a connection to accept, or an end. */
  int READ = 1;
  /** The socket takes bytes, or its connect has ended. */
  int WRITE = 2;

  /** @param operations {@link #READ}, {@link #WRITE} or both */
  void ready(int operations);
}
