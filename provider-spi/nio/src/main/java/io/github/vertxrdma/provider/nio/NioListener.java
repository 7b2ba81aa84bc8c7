package io.github.vertxrdma.provider.nio;

import io.github.vertxrdma.provider.EndpointAddress;
import io.github.vertxrdma.provider.EndpointOptions;
import io.github.vertxrdma.provider.ListenHandler;
import io.github.vertxrdma.provider.software.SocketListener;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Listening socket. An accepted socket becomes a connection request when its first frame is complete. */
final class NioListener extends SocketListener<NioCompletionQueue> implements SocketHandler {
  private final EndpointOptions options;
  private ListenSocket socket;
  private EndpointAddress localAddress;
  /** True if the socket listens on all addresses of the machine. */
  private boolean everywhere;

  private NioListener(NioCompletionQueue queue, EndpointOptions options, ListenHandler handler) {
    super(queue, handler);
    this.options = options;
  }

  static NioListener open(NioCompletionQueue queue, InetSocketAddress address, EndpointOptions options, ListenHandler handler) {
    NioListener listener = new NioListener(queue, options, handler);
    try {
      listener.socket = queue.sockets.listen(address, BACKLOG, listener);
      InetSocketAddress local = listener.socket.localAddress();
      listener.localAddress = EndpointAddress.of(local);
      listener.everywhere = local.getAddress().isAnyLocalAddress();
      return queue.add(listener);
    } catch (IOException | RuntimeException e) {
      throw Sockets.failure("listen on " + EndpointAddress.of(address), e);
    }
  }

  @Override
  public EndpointAddress localAddress() {
    return localAddress;
  }

  EndpointAddress localAddress(TcpSocket peer) throws IOException {
    return everywhere ? EndpointAddress.of(peer.localAddress()) : localAddress;
  }

  @Override
  public void ready(int operations) {
    acceptWaiting();
  }

  @Override
  protected boolean acceptNext() {
    TcpSocket peer;
    try {
      peer = socket.accept();
    } catch (IOException e) {
      throw Sockets.failure("accept a connection", e);
    }
    if (peer != null) {
      asked(peer);
    }
    return peer != null;
  }

  private void asked(TcpSocket peer) {
    NioConnectionRequest request;
    try {
      request = new NioConnectionRequest(this, peer);
    } catch (IOException e) {
      // The peer has already reset the connection, so it has no address.
      peer.close();
      return;
    }
    add(request).start(queue(), options.connectTimeoutMillis());
  }

  @Override
  protected void watch(boolean on) {
    socket.interest(on ? READ : 0, on ? 0 : READ);
  }

  @Override
  protected void release() {
    socket.close();
  }
}
