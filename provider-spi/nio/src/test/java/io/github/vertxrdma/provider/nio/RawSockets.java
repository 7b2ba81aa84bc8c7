package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.Listener;
import io.github.vertxrdma.provider.contract.Pair;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.Arrays;

final class RawSockets {
  private RawSockets() {
  }

  static Socket open(Listener listener) throws IOException {
    InetSocketAddress address = listener.localAddress().toInet();
    return new Socket(address.getAddress(), address.getPort());
  }

  /** Requests a connection over a socket, and waits until side b has accepted it. */
  static void connect(Pair pair, Socket socket) throws IOException {
    int before = pair.b.connected.size();
    send(socket, NioFrame.CONNECT, 0);
    pair.until("connected", () -> pair.b.connected.size() > before);
  }

  /** Sends a frame whose payload has {@code length} zero bytes. */
  static void send(Socket socket, byte type, int length) throws IOException {
    socket.getOutputStream().write(Arrays.copyOf(header(type, length).array(), NioFrame.HEADER + length));
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
