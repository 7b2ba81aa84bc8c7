package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;

/** Sockets of peers that are no provider. */
final class RawSockets {
  private RawSockets() {
  }

  /** Whether its peer has ended it, and all that came was read. */
  static boolean isClosed(Socket socket) {
    try {
      return socket.getInputStream().available() == 0 && socket.getInputStream().read() < 0;
    } catch (IOException e) {
      return true;
    }
  }

  /** A frame without operands. */
  static ByteBuffer header(byte type, long length) {
    ByteBuffer header = ByteBuffer.allocate(NioFrame.HEADER);
    NioFrame.put(header, type, 0, 0, 0, NioFrame.MAGIC, NioFrame.VERSION, 16, length, 0);
    return header.flip();
  }
}
