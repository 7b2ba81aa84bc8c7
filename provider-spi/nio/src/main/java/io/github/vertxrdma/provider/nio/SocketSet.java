package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.WaitSet;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The sockets of one completion queue: those that are ready have their turn in a poll, and all of them can be waited for. */
interface SocketSet extends WaitSet {

  /** Begins to connect. @param source the address to connect from, null for any */
  TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException;

  ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) throws IOException;

  /** Tells the handler when a socket is ready; one that another set has let go of, too. */
  void watch(TcpSocket socket, int operations, SocketHandler handler) throws IOException;

  /** Lets the sockets that are ready read and write. @param hasOthers whether this poll has something to tell that is not of sockets */
  void poll(boolean hasOthers);

  /**
   * Prepares to sleep.
   *
   * @param millis when something is due, 0 if nothing is
   * @return false if a socket is ready
   */
  boolean arm(long millis);

  /** Sockets were closed: gives back what is left of them. */
  void sweep();
}
