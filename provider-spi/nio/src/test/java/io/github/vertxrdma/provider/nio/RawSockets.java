package io.github.vertxrdma.provider.nio;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;

final class RawSockets {
  private RawSockets() {
  }

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

  static ByteBuffer header(byte type, long length) {
    ByteBuffer header = ByteBuffer.allocate(NioFrame.HEADER);
    NioFrame.put(header, type, 0, 0, 0, NioFrame.MAGIC, NioFrame.VERSIONS.word(), 16, length, 0);
    return header.flip();
  }
}
