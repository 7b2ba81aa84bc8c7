package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.software.SoftwareRegion;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

final class ChannelSocket implements TcpSocket {
  private final SocketChannel channel;
  private final ByteBuffer[] pair = new ByteBuffer[2];
  private ChannelSet set;
  private SelectionKey key;
  private SocketHandler handler;

  ChannelSocket(SocketChannel channel) throws IOException {
    this.channel = channel;
    channel.configureBlocking(false);
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  void watch(ChannelSet by, int operations, SocketHandler newHandler) throws IOException {
    set = by;
    handler = newHandler;
    key = by.register(channel, keys(operations), this);
  }

  void ready(int keys) {
    handler.ready(((keys & SelectionKey.OP_READ) != 0 ? SocketHandler.READ : 0)
      | ((keys & (SelectionKey.OP_WRITE | SelectionKey.OP_CONNECT)) != 0 ? SocketHandler.WRITE : 0));
  }

  private int keys(int operations) {
    int write = channel.isConnected() ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT;
    return ((operations & SocketHandler.READ) != 0 ? SelectionKey.OP_READ : 0) | ((operations & SocketHandler.WRITE) != 0 ? write : 0);
  }

  @Override
  public boolean isConnected() {
    return channel.isConnected();
  }

  @Override
  public void finishConnect() throws IOException {
    channel.finishConnect();
    set.interest(key, 0, SelectionKey.OP_CONNECT);
  }

  @Override
  public InetSocketAddress localAddress() throws IOException {
    return (InetSocketAddress) channel.getLocalAddress();
  }

  @Override
  public InetSocketAddress remoteAddress() throws IOException {
    return (InetSocketAddress) channel.getRemoteAddress();
  }

  @Override
  public int read(SocketBuffer to) throws IOException {
    return channel.read(to.bytes);
  }

  @Override
  public int read(SoftwareRegion to, long offset, long length, SocketBuffer behind) throws IOException {
    ByteBuffer view = set.view(to, offset, length);
    if (view.remaining() < length) {
      return channel.read(view);
    }
    pair[0] = view;
    pair[1] = behind.bytes;
    return (int) channel.read(pair, 0, 2);
  }

  @Override
  public long write(SocketBuffer from) throws IOException {
    return channel.write(from.bytes);
  }

  @Override
  public long write(SocketBuffer first, SoftwareRegion from, long offset, long length) throws IOException {
    ByteBuffer view = set.view(from, offset, length);
    if (!first.bytes.hasRemaining()) {
      return channel.write(view);
    }
    pair[0] = first.bytes;
    pair[1] = view;
    return channel.write(pair, 0, 2);
  }

  @Override
  public void interest(int add, int remove) {
    set.interest(key, keys(add), keys(remove));
  }

  @Override
  public void handler(SocketHandler newHandler) {
    handler = newHandler;
  }

  @Override
  public void unwatch() {
    key.cancel();
  }

  @Override
  public void shutdownOutput() throws IOException {
    channel.shutdownOutput();
  }

  @Override
  public void close() {
    Sockets.close(channel);
  }
}
