package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * Non-blocking TCP socket without timeouts: a stopped process keeps its connections. Used by the thread of the set that watches it,
 * otherwise by one thread at a time. The caller has acquired the passed regions. Memory that was freed, or belongs to another thread,
 * causes an exception of the JDK.
 */
interface TcpSocket {
  /** Returns whether the socket is connected. {@link SocketHandler#WRITE} reports when a connect has finished or failed. */
  boolean isConnected();

  /** @throws IOException with the reason if the connect failed */
  void finishConnect() throws IOException;

  InetSocketAddress localAddress() throws IOException;

  InetSocketAddress remoteAddress() throws IOException;

  /**
   * Reads up to the limit of the buffer.
   *
   * @return number of bytes; 0 if there are none now, -1 at the end
   */
  int read(SocketBuffer to) throws IOException;

  /**
   * Reads into a region, then further bytes into a buffer.
   *
   * @return number of bytes in both; 0 if there are none now, -1 at the end
   */
  int read(SoftwareRegion to, long offset, long length, SocketBuffer behind) throws IOException;

  /** Writes up to the limit of the buffer. @return number of bytes that the socket accepted */
  long write(SocketBuffer from) throws IOException;

  /**
   * Writes a buffer, which may be empty, then a range of a region.
   *
   * @return number of bytes that the socket accepted
   */
  long write(SocketBuffer first, SoftwareRegion from, long offset, long length) throws IOException;

  void interest(int add, int remove);

  void handler(SocketHandler handler);

  /** Lets another set watch the socket. */
  void unwatch();

  void shutdownOutput() throws IOException;

  void close();
}
