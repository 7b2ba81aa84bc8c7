package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.net.InetSocketAddress;

/**
 * A TCP socket that never waits. It has no limit of its own for a peer that acknowledges or reads nothing: a stopped process does not lose
 * its connections. Used by the thread of the set that watches it; while none does, by one thread at a time. What memory of a
 * region it is given must be held by the caller; memory that was freed, or belongs to another thread, is an exception of the JDK's kind.
 */
interface TcpSocket {
  /** Whether it was connected at once; else {@link SocketHandler#WRITE} tells of the end. */
  boolean isConnected();

  /** @throws IOException why it could not connect */
  void finishConnect() throws IOException;

  InetSocketAddress localAddress() throws IOException;

  InetSocketAddress remoteAddress() throws IOException;

  /** Reads up to the limit of the buffer and moves its position. @return bytes; 0 if there are none now, -1 at the end */
  int read(SocketBuffer to) throws IOException;

  /** Reads into a region, and what follows into a buffer, whose position it moves. @return bytes of both; else as above */
  int read(SoftwareRegion to, long offset, long length, SocketBuffer behind) throws IOException;

  /** Writes up to the limit of the buffer, and moves its position. @return bytes that the socket took */
  long write(SocketBuffer from) throws IOException;

  /** Writes as above what the end of the stream follows at once: both may go together. */
  default long writeLast(SocketBuffer from) throws IOException {
    return write(from);
  }

  /** Writes a buffer, which may be empty, and then what lies in a region. @return bytes that the socket took */
  long write(SocketBuffer first, SoftwareRegion from, long offset, long length) throws IOException;

  /** Changes what it is watched for. */
  void interest(int add, int remove);

  /** Changes who is told. */
  void handler(SocketHandler handler);

  /** Is not watched any more: another set may take over. */
  void unwatch();

  void shutdownOutput() throws IOException;

  /** Idempotent. */
  void close();
}
