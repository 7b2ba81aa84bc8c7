package io.github.vertxrdma.provider.shm;

import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.Set;

/** A channel whose peer has said some bytes and then shut its output; what is written to it is lost. */
final class BytesChannel extends SocketChannel {
  private final ByteBuffer bytes;

  BytesChannel(byte[] bytes) {
    super(null);
    this.bytes = ByteBuffer.wrap(bytes);
  }

  @Override
  public int read(ByteBuffer to) {
    if (!bytes.hasRemaining()) {
      return -1;
    }
    int n = Math.min(bytes.remaining(), to.remaining());
    to.put(bytes.slice(bytes.position(), n));
    bytes.position(bytes.position() + n);
    return n;
  }

  @Override
  public long read(ByteBuffer[] to, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int write(ByteBuffer from) {
    int n = from.remaining();
    from.position(from.limit());
    return n;
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public SocketChannel bind(SocketAddress local) {
    throw new UnsupportedOperationException();
  }

  @Override
  public <T> SocketChannel setOption(SocketOption<T> name, T value) {
    return this;
  }

  @Override
  public <T> T getOption(SocketOption<T> name) {
    return null;
  }

  @Override
  public Set<SocketOption<?>> supportedOptions() {
    return Set.of();
  }

  @Override
  public SocketChannel shutdownInput() {
    return this;
  }

  @Override
  public SocketChannel shutdownOutput() {
    return this;
  }

  @Override
  public Socket socket() {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean isConnected() {
    return true;
  }

  @Override
  public boolean isConnectionPending() {
    return false;
  }

  @Override
  public boolean connect(SocketAddress remote) {
    return true;
  }

  @Override
  public boolean finishConnect() {
    return true;
  }

  @Override
  public SocketAddress getRemoteAddress() {
    return null;
  }

  @Override
  public SocketAddress getLocalAddress() {
    return null;
  }

  @Override
  protected void implCloseSelectableChannel() {
    // Nothing is open.
  }

  @Override
  protected void implConfigureBlocking(boolean block) {
    // It never waits.
  }
}
