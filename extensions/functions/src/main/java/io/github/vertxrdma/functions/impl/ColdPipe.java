package io.github.vertxrdma.functions.impl;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/** Socket between a server and a cold worker, with lines of JSON. Calls block. One thread reads; any thread writes. */
final class ColdPipe implements AutoCloseable {
  static final int MAX_LINE = 1 << 20;
  static final String UNIX = "unix:";
  static final String LOOPBACK = "loopback:";
  private static final int CHUNK = 8 << 10;

  private final SocketChannel channel;
  private final ByteBuffer received = ByteBuffer.allocate(CHUNK).limit(0);

  ColdPipe(SocketChannel channel) {
    this.channel = channel;
  }

  /** Connects a process to its server, which must prove itself with a token too, because it sends code. */
  static ColdPipe connect(String address, String tokens) throws IOException {
    String[] both = tokens.split(" ", 2);
    SocketAddress server = address.startsWith(UNIX) ? UnixDomainSocketAddress.of(address.substring(UNIX.length()))
      : new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(address.substring(LOOPBACK.length())));
    ColdPipe pipe = new ColdPipe(SocketChannel.open(server));
    pipe.write(both[0]);
    if (!ColdListener.isSame(both[1], pipe.readLine(both[1].length()))) {
      pipe.close();
      throw new IOException(address + " is not the socket of this process's server");
    }
    return pipe;
  }

  /** Reads a line. Returns null at the end of the stream, and drops an incomplete line. */
  String readLine(int limit) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      while (received.hasRemaining()) {
        byte next = received.get();
        if (next == '\n') {
          return line.toString(StandardCharsets.UTF_8);
        }
        if (line.size() == limit) {
          throw new IOException("a line has more than " + limit + " bytes");
        }
        line.write(next);
      }
      int n = channel.read(received.clear());
      received.flip();
      if (n < 0) {
        return null;
      }
    }
  }

  synchronized void write(String line) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((line + '\n').getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }

  void end() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // The file descriptor is closed nevertheless.
    }
  }
}
