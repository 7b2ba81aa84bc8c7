package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

/** Sockets of peers that are no provider. */
final class RawSockets {
  private RawSockets() {
  }

  /** Returns whether its peer has closed or reset it, and all that arrived before was read. Does not wait for that. */
  static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(1);
      return socket.getInputStream().available() == 0 && socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  /** A frame without operands. */
  static ByteBuffer header(byte type, long length) {
    ByteBuffer header = ByteBuffer.allocate(NioFrame.HEADER);
    NioFrame.put(header, type, 0, 0, 0, NioFrame.MAGIC, NioFrame.VERSIONS.word(), 16, length, 0);
    return header.flip();
  }
}
