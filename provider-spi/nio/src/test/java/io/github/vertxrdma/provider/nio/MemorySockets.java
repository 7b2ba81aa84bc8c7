package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.PortRange;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sockets whose bytes are in the memory of this process. One thread uses all sockets of a network. */
final class MemorySockets {
  /** Bytes that a socket takes before its peer reads them. */
  private static final int ROOM = 1 << 16;
  private static final int FIRST_PORT = 1024;

  private final Map<Integer, Listening> listening = new HashMap<>();
  private int lastPort = FIRST_PORT;

  NioDevice device() {
    return new NioDevice(InetAddress.getLoopbackAddress(), new PortRange(0, 0), false) {
      @Override
      SocketSet sockets() {
        return new MemorySet();
      }
    };
  }

  MemorySocket connect(InetSocketAddress remote) throws IOException {
    Listening there = listening.get(remote.getPort());
    if (there == null) {
      throw new ConnectException("Connection refused");
    }
    Stream forth = new Stream();
    Stream back = new Stream();
    InetSocketAddress own = address(0);
    there.waiting.add(new MemorySocket(forth, back, remote, own));
    return new MemorySocket(back, forth, own, remote);
  }

  private InetSocketAddress address(int port) {
    lastPort = lastPort == 0xffff ? FIRST_PORT : lastPort + 1;
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port == 0 ? lastPort : port);
  }

  private static final class Stream {
    private byte[] bytes = new byte[1 << 10];
    private int from;
    private int to;
    private boolean ended;
    private boolean deaf;
    private boolean reset;

    int put(MemorySegment source, long offset, long length) throws IOException {
      if (deaf) {
        throw new IOException("Broken pipe");
      }
      int n = (int) Math.min(length, ROOM - (to - from));
      if (to + n > bytes.length) {
        byte[] longer = to - from + n > bytes.length ? new byte[2 * (to - from + n)] : bytes;
        System.arraycopy(bytes, from, longer, 0, to - from);
        bytes = longer;
        to -= from;
        from = 0;
      }
      MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, bytes, to, n);
      to += n;
      return n;
    }

    int take(MemorySegment sink, long offset, long length) throws IOException {
      if (reset) {
        throw new IOException("Connection reset by peer");
      }
      int n = (int) Math.min(length, to - from);
      if (n == 0) {
        return ended && length > 0 ? -1 : 0;
      }
      MemorySegment.copy(bytes, from, sink, ValueLayout.JAVA_BYTE, offset, n);
      from += n;
      return n;
    }

    boolean isReadable() {
      return to > from || ended || reset;
    }

    boolean isWritable() {
      return to - from < ROOM || deaf;
    }

    void silence() {
      deaf = true;
      from = to;
    }
  }

  private abstract static class Watched {
    MemorySet set;
    SocketHandler handler;
    int operations;

    abstract int ready();

    public void interest(int add, int remove) {
      operations = (operations | add) & ~remove;
    }

    public void unwatch() {
      if (set != null) {
        set.watched.remove(this);
        set = null;
      }
    }

    public void close() {
      unwatch();
    }
  }

  static final class MemorySocket extends Watched implements TcpSocket {
    private final Stream in;
    private final Stream out;
    private final InetSocketAddress local;
    private final InetSocketAddress remote;
    private boolean closed;

    private MemorySocket(Stream in, Stream out, InetSocketAddress local, InetSocketAddress remote) {
      this.in = in;
      this.out = out;
      this.local = local;
      this.remote = remote;
    }

    boolean ready(int operation) {
      return (ready() & operation) != 0;
    }

    @Override
    int ready() {
      return (in.isReadable() ? SocketHandler.READ : 0) | (out.isWritable() ? SocketHandler.WRITE : 0);
    }

    @Override
    public boolean isConnected() {
      return true;
    }

    @Override
    public void finishConnect() {
    }

    @Override
    public InetSocketAddress localAddress() {
      return local;
    }

    @Override
    public InetSocketAddress remoteAddress() {
      return remote;
    }

    private void checkOpen() throws ClosedChannelException {
      if (closed) {
        throw new ClosedChannelException();
      }
    }

    @Override
    public int read(SocketBuffer to) throws IOException {
      checkOpen();
      int n = in.take(to.memory, to.bytes.position(), to.bytes.remaining());
      to.bytes.position(to.bytes.position() + Math.max(0, n));
      return n;
    }

    @Override
    public int read(SoftwareRegion to, long offset, long length, SocketBuffer behind) throws IOException {
      checkOpen();
      int n = in.take(to.segment(), offset, length);
      return n == length ? n + Math.max(0, read(behind)) : n;
    }

    @Override
    public long write(SocketBuffer from) throws IOException {
      checkOpen();
      int n = out.put(from.memory, from.bytes.position(), from.bytes.remaining());
      from.bytes.position(from.bytes.position() + n);
      return n;
    }

    @Override
    public long write(SocketBuffer first, SoftwareRegion from, long offset, long length) throws IOException {
      long n = write(first);
      return first.bytes.hasRemaining() ? n : n + out.put(from.segment(), offset, length);
    }

    @Override
    public void handler(SocketHandler told) {
      handler = told;
    }

    @Override
    public void shutdownOutput() {
      out.ended = true;
    }

    /** Resets the connection if there is unread input, as the kernel does. */
    @Override
    public void close() {
      if (!closed) {
        closed = true;
        super.close();
        out.ended = true;
        out.reset |= in.to > in.from;
        in.silence();
      }
    }
  }

  private final class Listening extends Watched implements ListenSocket {
    private final ArrayDeque<MemorySocket> waiting = new ArrayDeque<>();
    private final InetSocketAddress local;

    Listening(InetSocketAddress local) {
      this.local = local;
    }

    @Override
    int ready() {
      return waiting.isEmpty() ? 0 : SocketHandler.READ;
    }

    @Override
    public InetSocketAddress localAddress() {
      return local;
    }

    @Override
    public TcpSocket accept() {
      return waiting.poll();
    }

    @Override
    public void close() {
      super.close();
      listening.remove(local.getPort(), this);
      waiting.forEach(MemorySocket::close);
      waiting.clear();
    }
  }

  private final class MemorySet implements SocketSet {
    private final List<Watched> watched = new ArrayList<>();

    @Override
    public TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException {
      return MemorySockets.this.connect(remote);
    }

    @Override
    public ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) {
      Listening made = new Listening(address(local.getPort()));
      listening.put(made.local.getPort(), made);
      watch(made, SocketHandler.READ, handler);
      return made;
    }

    @Override
    public void watch(TcpSocket socket, int operations, SocketHandler handler) {
      watch((Watched) socket, operations, handler);
    }

    private void watch(Watched socket, int operations, SocketHandler handler) {
      socket.set = this;
      socket.handler = handler;
      socket.operations = operations;
      watched.add(socket);
    }

    @Override
    public void poll(boolean hasOthers) {
      for (int i = 0; i < watched.size(); i++) {
        Watched socket = watched.get(i);
        int ready = socket.ready() & socket.operations;
        if (ready != 0) {
          socket.handler.ready(ready);
        }
      }
    }

    @Override
    public boolean arm(long millis) {
      return watched.stream().noneMatch(socket -> (socket.ready() & socket.operations) != 0);
    }

    @Override
    public void disturb() {
    }

    @Override
    public int fd() {
      return -1;
    }

    @Override
    public void sweep() {
    }

    @Override
    public void close() {
      watched.clear();
    }
  }
}
