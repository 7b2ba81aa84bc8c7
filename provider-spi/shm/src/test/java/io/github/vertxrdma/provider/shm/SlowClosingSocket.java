package io.github.vertxrdma.provider.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.vertxrdma.provider.ffi.Calls;
import io.github.vertxrdma.provider.ffi.Downcall;
import io.github.vertxrdma.provider.ffi.FileDescriptor;
import io.github.vertxrdma.provider.ffi.Memory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Connected TCP socket whose last close(2) waits until this object is closed: it has SO_LINGER of socket(7), and bytes that its peer does
 * not read.
 */
final class SlowClosingSocket implements AutoCloseable {
  private static final int AF_INET = 2;
  private static final int SOCK_STREAM_CLOEXEC = 0x80001;
  private static final int SOL_SOCKET = 1;
  private static final int SO_LINGER = 13;
  private static final int LINGER_SECONDS = 600;
  private static final int MSG_DONTWAIT = 0x40;
  private static final int CHUNK = 1 << 16;

  private final Socket peer;
  private int fd;

  SlowClosingSocket() {
    long memory = Memory.allocate(CHUNK);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
      fd = FileDescriptor.check(Calls.number(Downcall.libc("socket"), AF_INET, SOCK_STREAM_CLOEXEC, 0), "socket");
      int port = server.getLocalPort();
      Memory.fill(memory, 16, (byte) 0);
      Memory.putShort(memory, (short) AF_INET);
      Memory.putByte(memory + 2, (byte) (port >> 8));
      Memory.putByte(memory + 3, (byte) port);
      Memory.putByte(memory + 4, (byte) 127);
      Memory.putByte(memory + 7, (byte) 1);
      assertEquals(0, Calls.number(Downcall.libc("connect"), fd, memory, 16));
      peer = server.accept();
      Memory.putInt(memory, 1);
      Memory.putInt(memory + 4, LINGER_SECONDS);
      assertEquals(0, Calls.number(Downcall.libc("setsockopt"), fd, SOL_SOCKET, SO_LINGER, memory, 8));
      while (Calls.pointer(Downcall.libc("send"), fd, memory, CHUNK, MSG_DONTWAIT) > 0) {
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      Memory.free(memory);
    }
  }

  /** Returns the socket's descriptor, which the caller closes. */
  int take() {
    int taken = fd;
    fd = -1;
    return taken;
  }

  /**
   * Sends the descriptor with a message over a socket of unix(7), and closes the descriptor here.
   *
   * @return bytes, or a negative errno
   */
  long pass(int socket, SocketMessage message) {
    long at = Memory.allocate(112L + message.bytes().length);
    try {
      Memory.fill(at, 112, (byte) 0);
      Memory.putLong(at + 16, at + 56);
      Memory.putLong(at + 24, 1);
      Memory.putLong(at + 32, at + 72);
      Memory.putLong(at + 40, 24);
      Memory.putLong(at + 56, at + 112);
      Memory.putLong(at + 64, message.bytes().length);
      Memory.putLong(at + 72, 20);
      Memory.putInt(at + 80, SOL_SOCKET);
      Memory.putInt(at + 84, 1);
      Memory.putInt(at + 88, fd);
      Memory.putBytes(at + 112, message.bytes());
      long sent = SystemCalls.send(socket, at, MSG_DONTWAIT);
      if (sent >= 0) {
        FileDescriptor.close(take());
      }
      return sent;
    } finally {
      Memory.free(at);
    }
  }

  @Override
  public void close() {
    try {
      if (!peer.isClosed()) {
        peer.setSoLinger(true, 0);
        peer.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    if (fd >= 0) {
      FileDescriptor.close(take());
    }
  }
}
