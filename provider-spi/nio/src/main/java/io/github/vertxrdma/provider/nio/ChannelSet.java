package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.ProviderException;
import io.github.vertxrdma.provider.ProviderException.Reason;
import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.Consumer;

/** Set of JDK channels: a selector, and a thread that waits in it while the polling thread sleeps. */
final class ChannelSet implements SocketSet {
  private static final int WINDOW_BITS = 30;
  private static final long WINDOW = 1L << WINDOW_BITS;

  private final Selector selector = open();
  private final SelectorSleeper sleeper = new SelectorSleeper(selector,
    Thread.ofPlatform().daemon().name("vertx-rdma-nio-wakeup").factory());
  private final ArrayList<SelectionKey> ready = new ArrayList<>();
  private final Consumer<SelectionKey> onReady = ready::add;
  private final Consumer<SelectionKey> ignore = key -> {};
  private final Map<SoftwareRegion, ByteBuffer[]> views = new WeakHashMap<>();

  private static Selector open() {
    try {
      return Selector.open();
    } catch (IOException e) {
      throw Sockets.failure("create a completion queue", e);
    }
  }

  @Override
  public TcpSocket connect(InetSocketAddress remote, InetSocketAddress source) throws IOException {
    SocketChannel channel = SocketChannel.open();
    try {
      ChannelSocket socket = new ChannelSocket(channel);
      if (source != null) {
        channel.bind(source);
      }
      channel.connect(remote);
      return socket;
    } catch (IOException | RuntimeException e) {
      Sockets.close(channel);
      throw e;
    }
  }

  @Override
  public ListenSocket listen(InetSocketAddress local, int backlog, SocketHandler handler) throws IOException {
    ServerSocketChannel channel = ServerSocketChannel.open();
    try {
      channel.configureBlocking(false);
      channel.bind(local, backlog);
      return new Listening(channel, register(channel, SelectionKey.OP_ACCEPT, handler));
    } catch (IOException | RuntimeException e) {
      Sockets.close(channel);
      throw e;
    }
  }

  @Override
  public void watch(TcpSocket socket, int operations, SocketHandler handler) throws IOException {
    ((ChannelSocket) socket).watch(this, operations, handler);
  }

  SelectionKey register(SelectableChannel channel, int operations, Object attachment) throws IOException {
    sleeper.disarm();
    SelectionKey old = channel.keyFor(selector);
    if (old != null && !old.isValid()) {
      sweep();
    }
    return channel.register(selector, operations, attachment);
  }

  void interest(SelectionKey key, int add, int remove) {
    int before = key.interestOps();
    int after = (before | add) & ~remove;
    if (after != before) {
      sleeper.disarm();
      key.interestOps(after);
    }
  }

  @Override
  public void poll(boolean hasOthers) {
    try {
      select();
    } catch (IOException e) {
      throw new ProviderException(Reason.OTHER, "nio: the selector failed: " + e.getMessage(), e);
    }
  }

  private void select() throws IOException {
    // The sleeper still waits in the selector, so no socket is ready. To take the selector back would cost a thread switch.
    if (sleeper.undisturbed()) {
      return;
    }
    selector.selectNow(onReady);
    for (int i = 0; i < ready.size(); i++) {
      if (ready.get(i).isValid()) {
        ready(ready.get(i));
      }
    }
    ready.clear();
  }

  private static void ready(SelectionKey key) {
    if (key.attachment() instanceof ChannelSocket socket) {
      socket.ready(key.readyOps());
    } else {
      ((SocketHandler) key.attachment()).ready(SocketHandler.READ);
    }
  }

  /** Returns a buffer over the range, or over its first part if one buffer cannot hold it. Valid until the next call for the region. */
  ByteBuffer view(SoftwareRegion region, long offset, long length) {
    ByteBuffer buffer = views.computeIfAbsent(region, ChannelSet::windows)[(int) (offset >> WINDOW_BITS)];
    int start = (int) (offset & WINDOW - 1);
    return buffer.limit((int) Math.min(buffer.capacity(), start + length)).position(start);
  }

  private static ByteBuffer[] windows(SoftwareRegion region) {
    ByteBuffer[] windows = new ByteBuffer[Math.max(1, Math.toIntExact(Math.ceilDiv(region.size(), WINDOW)))];
    for (int i = 0; i < windows.length; i++) {
      long start = i * WINDOW;
      windows[i] = region.segment().asSlice(start, Math.min(WINDOW, region.size() - start)).asByteBuffer();
    }
    return windows;
  }

  @Override
  public boolean arm(long millis) {
    return sleeper.arm(millis);
  }

  @Override
  public void disturb() {
    sleeper.disarm();
  }

  @Override
  public int fd() {
    return -1;
  }

  @Override
  public void wakeupHandler(Runnable handler) {
    sleeper.handler(handler);
  }

  /** Selects, which frees the file descriptors of closed channels. */
  @Override
  public void sweep() {
    if (selector.isOpen()) {
      sleeper.disarm();
      try {
        selector.selectNow(ignore);
      } catch (IOException e) {
        // The next poll reports the failure.
      }
    }
  }

  @Override
  public void close() {
    sleeper.close();
  }

  private final class Listening implements ListenSocket {
    private final ServerSocketChannel channel;
    private final SelectionKey key;

    Listening(ServerSocketChannel channel, SelectionKey key) {
      this.channel = channel;
      this.key = key;
    }

    @Override
    public InetSocketAddress localAddress() throws IOException {
      return (InetSocketAddress) channel.getLocalAddress();
    }

    @Override
    public TcpSocket accept() throws IOException {
      SocketChannel accepted = channel.accept();
      return accepted == null ? null : new ChannelSocket(accepted);
    }

    @Override
    public void interest(int add, int remove) {
      if (key.isValid()) {
        ChannelSet.this.interest(key, add != 0 ? SelectionKey.OP_ACCEPT : 0, remove != 0 ? SelectionKey.OP_ACCEPT : 0);
      }
    }

    @Override
    public void close() {
      Sockets.close(channel);
    }
  }
}
